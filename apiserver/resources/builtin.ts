import { anything } from "@kyma-operators/schema";
import { kindFacts, type ResourceFacts, resourceFacts } from "../facts/facts.ts";
import { conversionsOf } from "./conversions.ts";
import { strategyFor } from "./kinds/strategies.ts";
import type { ScalePaths, ServedResource, Subresource } from "./resource.ts";

/** Resources that answer and keep nothing; they have handlers of their own. */
const virtual = new Set([
  "bindings",
  "componentstatuses",
  "tokenreviews",
  "selfsubjectreviews",
  "localsubjectaccessreviews",
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
  "subjectaccessreviews",
]);

const replicaPaths: ScalePaths = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  labelSelector: undefined,
};

/** Collections that several groups show. */
const sharedCollections: Readonly<Record<string, string>> = { "events.k8s.io/events": "/events" };

/** Every built-in resource in every version. */
export function builtinResources(): readonly ServedResource[] {
  return Object.entries(resourceFacts()).flatMap(([path, entries]) => {
    const [, first = "", second] = path.split("/");
    const [group, version] = second === undefined ? ["", first] : [first, second];
    return entries
      .filter(({ name }) => !name.includes("/"))
      .map((entry) => resourceOf({ group, version, entry, entries }));
  });
}

/** Names of built-in groups in the order of discovery. */
export function builtinGroups(): readonly string[] {
  const names = Object.keys(resourceFacts()).map((path) =>
    path.startsWith("apis/") ? (path.split("/")[1] ?? "") : "",
  );
  const found = new Set(names.filter((name) => name !== ""));
  return [...groupOrder.filter((name) => found.has(name)), ...[...found].filter((name) => !groupOrder.includes(name))];
}

const groupOrder = [
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
];

/** Whether the resource keeps objects. */
export function isStored({ plural }: Pick<ServedResource, "plural">): boolean {
  return !virtual.has(plural);
}

interface Naming {
  readonly group: string;
  readonly version: string;
  readonly entry: ResourceFacts;
  readonly entries: readonly ResourceFacts[];
}

function resourceOf({ group, version, entry, entries }: Naming): ServedResource {
  const own = `${group}/${entry.name}`;
  const collection = sharedCollections[own] ?? own;
  const subresources = subresourcesOf(entry.name, entries);
  return {
    group,
    version,
    kind: entry.kind,
    listKind: `${entry.kind}List`,
    plural: entry.name,
    singular: entry.singularName,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    namespaced: entry.namespaced,
    verbs: entry.verbs,
    subresources,
    collection,
    // Compiled when someone writes such an object, which most servers do for few kinds only.
    get schema() {
      return kindFacts(group, version, entry.kind)?.schema ?? anything;
    },
    strategy: strategyFor(collection, subresources.has("status")),
    scale: subresources.has("scale") ? replicaPaths : undefined,
    custom: undefined,
    ...conversionsOf(group, version, entry.name),
  };
}

function subresourcesOf(name: string, entries: readonly ResourceFacts[]): ReadonlyMap<string, Subresource> {
  const own = entries.filter((entry) => entry.name.startsWith(`${name}/`));
  return new Map(
    own.map(({ name: full, kind, group, version, verbs }) => [
      full.slice(name.length + 1),
      { kind, verbs, ...(group === undefined ? {} : { group }), ...(version === undefined ? {} : { version }) },
    ]),
  );
}
