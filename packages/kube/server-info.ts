import type { CallOptions } from "./client-types.ts";
import type { Discovery } from "./discovery.ts";
import { apiVersionOf } from "./paths.ts";
import type { Requester } from "./requester.ts";

export interface ServerInfo {
  /** For example `v1.35.2`. */
  readonly gitVersion: string;
  /** Every `group/version` and `group/version/Kind`, sorted: what Helm calls the capabilities' API versions. */
  readonly apiVersions: readonly string[];
}

/** Reads `/version` and every served kind. */
export async function readServerInfo(
  requester: Requester,
  discovery: Discovery,
  { timeoutMs }: CallOptions,
): Promise<ServerInfo> {
  // Without the signal of one caller: others share this answer.
  const options = timeoutMs === undefined ? {} : { timeoutMs };
  const [version, kinds] = await Promise.all([
    requester.json({ method: "GET", path: "/version", ...options }),
    discovery.everything(options),
  ]);
  const names = new Set<string>();
  for (const kind of kinds) {
    const apiVersion = apiVersionOf(kind);
    names.add(apiVersion).add(`${apiVersion}/${kind.kind}`);
  }
  const { gitVersion } = version;
  return { gitVersion: typeof gitVersion === "string" ? gitVersion : "", apiVersions: [...names].sort() };
}
