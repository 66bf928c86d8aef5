import type { AnyObject } from "@kyma-operators/kube";
import { annotations } from "../../../apis/operator/annotations.ts";
import { labels } from "../../../apis/operator/labels.ts";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { names } from "../../../apis/operator/names.ts";
import { manifestErrors } from "../errors.ts";

const injectedModule = "deployer";

/** True for Manifests whose objects may ask for data of the control plane. */
export function mayInject(manifest: Manifest): boolean {
  return manifest.metadata.labels?.[labels.moduleName] === injectedModule;
}

/** A Secret of the control plane, or why it could not be read. */
export type FoundSecret = AnyObject | { readonly problem: string };

/** Names of the control-plane Secrets whose data this Manifest's objects ask for; empty for every other module. */
export function secretsToInject(manifest: Manifest, objects: readonly AnyObject[]): readonly string[] {
  if (!mayInject(manifest)) return [];
  return objects.filter(asksForData).map((object) => object.metadata.name ?? "");
}

/**
 * Replaces the data of marked Secrets by that of the control-plane Secret of the same name.
 *
 * Only the module `deployer` gets data, and only from Secrets of the control plane's namespace that carry its name:
 * a module must not be able to ask for somebody else's Secret. Throws `MANIFEST_INJECTION`.
 */
export function injectSecrets(
  manifest: Manifest,
  objects: readonly AnyObject[],
  found: ReadonlyMap<string, FoundSecret>,
): readonly AnyObject[] {
  const wanted = new Set(secretsToInject(manifest, objects));
  if (wanted.size === 0) return objects;
  return objects.map((object) => {
    const name = object.metadata.name ?? "";
    if (!asksForData(object)) return object;
    const { data } = checked(name, found.get(name) ?? { problem: "not found" });
    const { stringData: _replaced, ...rest } = object;
    return { ...rest, data };
  });
}

function asksForData(object: AnyObject): boolean {
  return (
    object.apiVersion === "v1" &&
    object.kind === "Secret" &&
    object.metadata.annotations?.[annotations.injectDataFromKcp] === "true"
  );
}

function checked(name: string, source: FoundSecret): AnyObject {
  if (!isObject(source)) throw fail(`failed to fetch kcp secret "${name}": ${source.problem}`);
  const { namespace, labels: own } = source.metadata;
  if (namespace !== names.controlPlaneNamespace) {
    throw fail(
      `kcp source secret "${name}" must be in namespace "${names.controlPlaneNamespace}" (got "${namespace ?? ""}")`,
    );
  }
  const module = own?.[labels.moduleName];
  if (module === undefined) {
    throw fail(`kcp source secret is missing the required ${labels.moduleName} label: secret=${name}`);
  }
  if (module !== injectedModule) {
    throw fail(
      `kcp source secret ${labels.moduleName} label does not match the manifest module: secret=${name} expected=${injectedModule} actual=${module}`,
    );
  }
  return source;
}

function isObject(source: FoundSecret): source is AnyObject {
  return "metadata" in source;
}

function fail(problem: string): Error {
  return manifestErrors.INJECTION({ problem });
}
