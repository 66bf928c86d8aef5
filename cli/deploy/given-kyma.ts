import type { AnyObject } from "@kyma-operators/kube";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { deployErrors } from "./errors.ts";

/** The Kyma of a file, in the namespace of the setup, with the modules of flags beside its own. */
export function givenKyma(found: readonly AnyObject[], source: string, built: Kyma): Kyma {
  const [object] = found;
  if (found.length !== 1 || object?.kind !== "Kyma" || object.apiVersion !== built.apiVersion) {
    const kinds = found.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).join(", ") || "nothing";
    throw deployErrors.OBJECT_UNEXPECTED({ source, expected: `one ${built.apiVersion} Kyma`, found: kinds });
  }
  const given = object as unknown as Kyma;
  const own = given.spec.modules ?? [];
  const added = (built.spec.modules ?? []).filter(({ name }) => !own.some((module) => module.name === name));
  return {
    ...given,
    metadata: {
      ...given.metadata,
      namespace: built.metadata.namespace ?? "",
      labels: { ...built.metadata.labels, ...given.metadata.labels },
      annotations: { ...built.metadata.annotations, ...given.metadata.annotations },
    },
    spec: { ...given.spec, modules: [...own, ...added] },
  };
}
