import type { Client } from "@kyma-operators/kube";
import { moduleReleaseMetas } from "../../apis/operator/group.ts";
import type { KymaModule } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { unlessHidden } from "../cluster-kinds.ts";

/** The releases beside a Kyma; none where the kind is unknown, or hidden from the user. */
export async function readReleases(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly ModuleReleaseMeta[]> {
  const found = await unlessHidden(client.list<ModuleReleaseMeta>(moduleReleaseMetas, { namespace, signal }));
  return found?.items ?? [];
}

/** The version to which the channel of a module leads; undefined when no release says so. */
export function releasedVersion(
  { name, channel }: KymaModule,
  kymaChannel: string,
  releases: readonly ModuleReleaseMeta[],
): string | undefined {
  const release = releases.find(({ spec }) => spec.moduleName === name);
  return release?.spec.channels?.find((entry) => entry.channel === (channel || kymaChannel))?.version;
}
