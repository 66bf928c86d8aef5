import { isDeepStrictEqual } from "node:util";
import {
  contains,
  type JsonObject,
  objectAt,
  objectsAt,
  overlap,
  parseNetwork,
  type Shoot,
} from "@kyma-operators/gardener";

/** Networks that must not meet, and what the provider extensions refuse; as texts. */
export function networkProblems(next: Shoot, old: Shoot | undefined): readonly string[] {
  const { networking, provider } = next.spec;
  const before = old?.spec;
  const problems = disjointProblems(next);
  if (before?.networking?.nodes !== undefined && before.networking.nodes !== networking?.nodes) {
    problems.push("spec.networking.nodes: field is immutable");
  }
  if (provider.type === "aws") problems.push(...awsProblems(next, old));
  return problems;
}

/** Ranges that Gardener keeps for itself. */
const reserved = ["240.0.0.0/8", "241.0.0.0/8", "242.0.0.0/8", "243.0.0.0/8", "244.0.0.0/8"];

function disjointProblems({ spec: { networking = {} } }: Shoot): string[] {
  const own = (["nodes", "pods", "services"] as const).flatMap((name) => {
    const network = parseNetwork(networking[name] ?? "");
    return network === undefined ? [] : [{ name: `spec.networking.${name}`, network }];
  });
  const kept = reserved
    .flatMap((name) => parseNetwork(name) ?? [])
    .map((network) => ({ name: "a reserved range", network }));
  return own.flatMap((a, index) =>
    [...own.slice(index + 1), ...kept]
      .filter((b) => overlap(a.network, b.network))
      .map((b) => `${a.name}: overlaps ${b.name}`),
  );
}

function awsProblems(next: Shoot, old: Shoot | undefined): readonly string[] {
  const field = "spec.provider.infrastructureConfig.networks";
  const networks = objectAt(next.spec.provider.infrastructureConfig, "networks");
  const vpc = objectAt(networks, "vpc");
  const zones = objectsAt(networks, "zones");
  const before = objectsAt(objectAt(old?.spec.provider.infrastructureConfig, "networks"), "zones");
  const problems: string[] = [];
  if (vpc["id"] !== undefined && vpc["cidr"] !== undefined)
    problems.push(`${field}.vpc: cannot specify both vpc id and cidr`);
  if (before.length > zones.length) problems.push(`${field}.zones: zones can't be removed`);
  for (const [index, zone] of before.entries()) {
    const same = zones[index];
    if (same !== undefined && !isSameZone(zone, same)) problems.push(`${field}.zones[${index}]: field is immutable`);
  }
  return [...problems, ...subnetProblems(next.spec.networking?.nodes ?? "", zones, field)];
}

function isSameZone(a: JsonObject, b: JsonObject): boolean {
  return ["name", "workers", "public", "internal"].every((key) => isDeepStrictEqual(a[key], b[key]));
}

function subnetProblems(nodes: string, zones: readonly JsonObject[], field: string): readonly string[] {
  const whole = parseNetwork(nodes);
  return zones.flatMap((zone, index) => {
    const workers = parseNetwork(String(zone["workers"]));
    const isInside = whole !== undefined && workers !== undefined && contains(whole, workers);
    return isInside ? [] : [`${field}.zones[${index}].workers: must be a subnet of spec.networking.nodes`];
  });
}
