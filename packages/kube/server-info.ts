import type { CallOptions, ServerInfo } from "./client-types.ts";
import type { Discovery } from "./discovery.ts";
import { apiVersionOf } from "./paths.ts";
import type { Requester } from "./requester.ts";

/** Reads `/version` and every served kind. */
export async function readServerInfo(
  requester: Requester,
  discovery: Discovery,
  { timeoutMs }: CallOptions,
): Promise<ServerInfo> {
  // Without the signal of one caller: others share this answer.
  const options = timeoutMs === undefined ? {} : { timeoutMs };
  const [version, served] = await Promise.all([
    requester.json({ method: "GET", path: "/version", ...options }),
    discovery.everything(options),
  ]);
  const names = new Set<string>();
  for (const kind of served.resources) {
    const apiVersion = apiVersionOf(kind);
    names.add(apiVersion).add(`${apiVersion}/${kind.kind}`);
  }
  const { gitVersion } = version;
  return {
    gitVersion: typeof gitVersion === "string" ? gitVersion : "",
    apiVersions: [...names].sort(),
    complete: served.complete,
  };
}
