import type { Dependency, Maintainer } from "../chart/types.ts";
import type { GoMap, GoValue } from "../go/values.ts";
import { type ChartNode, metadataOf } from "../values/tree.ts";

function maintainer({ name, email, url }: Maintainer): GoMap {
  return new Map([
    ["Name", name],
    ["Email", email],
    ["URL", url],
  ]);
}

function dependency(entry: Dependency): GoMap {
  return new Map<string, GoValue>([
    ["Name", entry.name],
    ["Version", entry.version],
    ["Repository", entry.repository],
    ["Condition", entry.condition],
    ["Tags", [...entry.tags]],
    ["Enabled", entry.enabled],
    ["ImportValues", [...entry.importValues]],
    ["Alias", entry.alias],
  ]);
}

/** `.Chart` in helm 4: a map with the Go names of the fields. */
export function chartObject(node: ChartNode): GoMap {
  const metadata = metadataOf(node);
  return new Map<string, GoValue>([
    ["Name", metadata.name],
    ["Home", metadata.home],
    ["Sources", [...metadata.sources]],
    ["Version", metadata.version],
    ["Description", metadata.description],
    ["Keywords", [...metadata.keywords]],
    ["Maintainers", metadata.maintainers.map(maintainer)],
    ["Icon", metadata.icon],
    ["APIVersion", metadata.apiVersion],
    ["Condition", metadata.condition],
    ["Tags", metadata.tags],
    ["AppVersion", metadata.appVersion],
    ["Deprecated", metadata.deprecated],
    ["Annotations", new Map(metadata.annotations)],
    ["KubeVersion", metadata.kubeVersion],
    ["Dependencies", metadata.dependencies.map(dependency)],
    ["Type", metadata.type],
    ["IsRoot", node.isRoot],
  ]);
}
