import { negotiate } from "../http/accept.ts";
import type { ApiRequest, ApiResponse } from "../http/messages.ts";
import type { Registry, ServedGroup } from "../resources/registry.ts";
import { apiVersionOf, type ServedResource } from "../resources/resource.ts";
import { encode } from "../rest/respond.ts";

/** Answers `/api`, `/apis`, `/api/v1`, `/apis/<group>` and `/apis/<group>/<version>`; `undefined` for other paths. */
export function discover(request: ApiRequest, registry: Registry): ApiResponse | undefined {
  const [root, ...parts] = request.path.split("/").filter((part) => part !== "");
  if (root === "api") return discoverCore(request, registry, parts);
  return root === "apis" ? discoverGroups(request, registry, parts) : undefined;
}

function discoverCore(request: ApiRequest, registry: Registry, parts: readonly string[]): ApiResponse | undefined {
  const [version, ...more] = parts;
  if (version === undefined) return coreRoot(request, registry);
  return more.length === 0 ? resourceList(request, registry, { group: "", version }) : undefined;
}

function discoverGroups(request: ApiRequest, registry: Registry, parts: readonly string[]): ApiResponse | undefined {
  const [group, version, ...more] = parts;
  if (group === undefined) return groupsRoot(request, registry);
  if (version === undefined) return groupDocument(request, registry, group);
  return more.length === 0 ? resourceList(request, registry, { group, version }) : undefined;
}

function wantsAggregated({ headers }: ApiRequest): "v2" | "v2beta1" | undefined {
  const { as, version } = negotiate(
    headers.accept,
    ({ as, group, version }) =>
      as === "APIGroupDiscoveryList" && group === "apidiscovery.k8s.io" && (version === "v2" || version === "v2beta1"),
  );
  return as === "" ? undefined : (version as "v2" | "v2beta1");
}

const core: ServedGroup = { name: "", versions: ["v1"] };

function coreRoot(request: ApiRequest, registry: Registry): ApiResponse {
  const aggregated = wantsAggregated(request);
  if (aggregated !== undefined) return aggregate(registry, [core], aggregated);
  return answer(request, {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [
      { clientCIDR: "0.0.0.0/0", serverAddress: request.headers.host ?? request.headers[":authority"] ?? "" },
    ],
  });
}

function groupsRoot(request: ApiRequest, registry: Registry): ApiResponse {
  const aggregated = wantsAggregated(request);
  if (aggregated !== undefined) return aggregate(registry, registry.groups(), aggregated);
  return answer(request, { kind: "APIGroupList", apiVersion: "v1", groups: registry.groups().map(groupOf) });
}

function groupDocument(request: ApiRequest, registry: Registry, name: string): ApiResponse | undefined {
  const group = registry.groups().find((candidate) => candidate.name === name);
  if (group === undefined) return undefined;
  return answer(request, { kind: "APIGroup", apiVersion: "v1", ...groupOf(group) });
}

function groupOf({ name, versions }: ServedGroup): { readonly name: string; readonly [field: string]: unknown } {
  const documents = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: documents, preferredVersion: documents[0] };
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

function resourceList(request: ApiRequest, registry: Registry, served: GroupVersion): ApiResponse | undefined {
  const resources = registry.inVersion(served.group, served.version);
  if (resources.length === 0) return undefined;
  const entries = resources.flatMap(entriesOf);
  return answer(request, {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersionOf(served),
    // Built-in resources are listed by name, those of definitions as they came.
    resources: registry.isCustom(served.group) ? entries : entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
}

function entriesOf(resource: ServedResource): readonly { readonly name: string; readonly [field: string]: unknown }[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, subresources } = resource;
  const own = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(verbs.includes("watch") ? { storageVersionHash: storageHash(resource) } : {}),
  };
  const below = [...subresources].map(([name, { kind: of, group, version, verbs: allowed }]) => ({
    name: `${plural}/${name}`,
    singularName: "",
    namespaced,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    kind: of,
    verbs: allowed,
  }));
  return [own, ...below];
}

/** Changes exactly when objects would be stored under another name. */
function storageHash({ collection, kind }: ServedResource): string {
  return Buffer.from(`${collection}/${kind}`).toString("base64url").slice(0, 11).concat("=");
}

function aggregate(registry: Registry, groups: readonly ServedGroup[], version: "v2" | "v2beta1"): ApiResponse {
  const body = {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((one) => ({
        version: one,
        resources: registry.inVersion(name, one).map((resource) => aggregatedResource(resource)),
        freshness: "Current",
      })),
    })),
  };
  const response = encode(200, body);
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return { ...response, headers: { ...response.headers, "content-type": type, vary: "Accept" } };
}

function aggregatedResource(resource: ServedResource): unknown {
  const { group, version, kind, plural, singular, namespaced, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.size === 0
      ? {}
      : {
          subresources: [...subresources].map(([name, sub]) => ({
            subresource: name,
            responseKind: { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind },
            verbs: sub.verbs,
          })),
        }),
  };
}

function answer({ headers }: ApiRequest, body: unknown): ApiResponse {
  const { format } = negotiate(headers.accept, () => false);
  return encode(200, body, { format });
}
