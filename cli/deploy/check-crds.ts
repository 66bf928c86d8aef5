import { type AnyObject, builtIn, type Client } from "@kyma-operators/kube";
import { crdName, kymas } from "../../apis/operator/group.ts";
import { unlessHidden } from "../cluster-kinds.ts";
import { deployErrors } from "./errors.ts";

const { customResourceDefinitions: crds } = builtIn;

interface Crd extends AnyObject {
  readonly spec?: { readonly versions?: readonly { readonly name: string }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

/**
 * Checks that the CRDs of a setup can take the place of those on the cluster, and that Kymas can be made at all. Throws
 * `DEPLOY_CRD_VERSION_LOST` and `DEPLOY_NO_KYMA_CRD`.
 *
 * @param manifests - where the CRDs come from, for messages.
 */
export async function checkCrds(
  client: Client,
  planned: readonly AnyObject[],
  { manifests, signal }: { readonly manifests: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const present = (await unlessHidden(client.list<Crd>(crds, { signal })))?.items ?? [];
  for (const crd of planned as readonly Crd[]) checkStored(crd, present);
  const known = [...planned, ...present].some(({ metadata }) => metadata.name === crdName(kymas));
  if (!known) throw deployErrors.NO_KYMA_CRD({ manifests });
}

function checkStored({ metadata: { name = "" }, spec }: Crd, present: readonly Crd[]): void {
  const known = (spec?.versions ?? []).map((version) => version.name);
  const stored = present.find(({ metadata }) => metadata.name === name)?.status?.storedVersions ?? [];
  const lost = stored.find((version) => !known.includes(version));
  if (lost !== undefined) throw deployErrors.CRD_VERSION_LOST({ crd: name, stored: lost, known });
}
