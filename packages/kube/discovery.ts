import { hasCode } from "@kyma-operators/errors";
import type { CallOptions } from "./client-types.ts";
import { kubeErrors } from "./errors.ts";
import { groupVersionPath } from "./paths.ts";
import type { Call, Requester } from "./requester.ts";
import type { Resource } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

const aggregatedType =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/** One served kind, with the verbs of its collection. */
export interface ServedResource extends Resource {
  readonly verbs: readonly string[];
}

/** Kinds of several group versions; not complete while the server behind one of them is down. */
export interface Served {
  readonly resources: readonly ServedResource[];
  readonly complete: boolean;
}

/**
 * What a server serves, asked once per group version and kept until a lookup misses or {@link invalidate} is called.
 *
 * A kind that is not known is looked up again at once, because a CRD may have been installed meanwhile.
 */
export class Discovery {
  readonly #requester: Requester;
  readonly #groupVersions = new Map<string, Promise<readonly ServedResource[]>>();

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  async resourceFor(apiVersion: string, kind: string, options: CallOptions = {}): Promise<Resource> {
    const known = this.#groupVersions.get(apiVersion);
    const found = known && (await known).find((resource) => resource.kind === kind);
    if (found !== undefined) return found;
    // The promise known to miss is dropped; one that another caller has just begun is shared.
    if (this.#groupVersions.get(apiVersion) === known) this.#groupVersions.delete(apiVersion);
    const fresh = (await this.#load(apiVersion, options)).find((resource) => resource.kind === kind);
    if (fresh === undefined) throw kubeErrors.NO_MATCH({ host: this.#requester.host, apiVersion, kind });
    return fresh;
  }

  /** Every kind of every group version, in the order of the server: one request each for core and groups. */
  async everything(options: CallOptions = {}): Promise<Served> {
    return joined(await Promise.all([this.#group("/api", options), this.#group("/apis", options)]));
  }

  /** Forgets a group version, or all of them. */
  invalidate(apiVersion?: string): void {
    if (apiVersion === undefined) this.#groupVersions.clear();
    else this.#groupVersions.delete(apiVersion);
  }

  #load(apiVersion: string, options: CallOptions): Promise<readonly ServedResource[]> {
    const running = this.#groupVersions.get(apiVersion);
    if (running !== undefined) return running;
    const loading = this.#fetch(apiVersion, options);
    this.#groupVersions.set(apiVersion, loading);
    // A failed lookup must not stay; the callers of this one still see its error.
    loading.catch(() => this.#forget(apiVersion, loading));
    return loading;
  }

  #forget(apiVersion: string, loading: Promise<readonly ServedResource[]>): void {
    if (this.#groupVersions.get(apiVersion) === loading) this.#groupVersions.delete(apiVersion);
  }

  async #fetch(apiVersion: string, options: CallOptions): Promise<readonly ServedResource[]> {
    try {
      // The signal of one caller must not end the lookup that others share; the client's deadline bounds it.
      const { signal: _, ...shared } = options;
      const list = await this.#requester.json({ method: "GET", path: groupVersionPath(apiVersion), ...shared });
      return plainResources(apiVersion, list);
    } catch (error) {
      if (hasCode(error, "KUBE_NOT_FOUND")) return [];
      throw error;
    }
  }

  async #group(path: string, options: CallOptions): Promise<Served> {
    const call: Call = { method: "GET", path, accept: aggregatedType, ...options };
    const answer = await this.#requester.json(call);
    if (answer["kind"] === "APIGroupDiscoveryList") return aggregatedResources(answer);
    const parts: Served[] = [];
    for (const apiVersion of plainGroupVersions(answer)) {
      parts.push(await this.#load(apiVersion, options).then(complete, noneFromBackend));
    }
    return joined(parts);
  }
}

const complete = (resources: readonly ServedResource[]): Served => ({ resources, complete: true });

function joined(parts: readonly Served[]): Served {
  return { resources: parts.flatMap(({ resources }) => resources), complete: parts.every((part) => part.complete) };
}

/** An aggregated API whose own server is down must not hide all others; it is what aggregated discovery leaves out. */
function noneFromBackend(error: unknown): Served {
  if (hasCode(error, "KUBE_SERVER")) return { resources: [], complete: false };
  throw error;
}

const fieldsIn = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const listIn = (fields: Fields, name: string): readonly Fields[] => {
  const value = fields[name];
  return Array.isArray(value) ? value.map((item) => fieldsIn(item)) : [];
};
const textIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === "string" ? value : "";
};
const textsIn = (fields: Fields, name: string): readonly string[] => {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
};

function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

function plainResources(apiVersion: string, list: Fields): readonly ServedResource[] {
  return listIn(list, "resources")
    .filter((item) => !textIn(item, "name").includes("/"))
    .map((item) => ({
      ...splitApiVersion(apiVersion),
      kind: textIn(item, "kind"),
      plural: textIn(item, "name"),
      namespaced: item["namespaced"] === true,
      verbs: textsIn(item, "verbs"),
    }));
}

function plainGroupVersions(answer: Fields): readonly string[] {
  const groups = listIn(answer, "groups").flatMap((group) => listIn(group, "versions"));
  return [...textsIn(answer, "versions"), ...groups.map((version) => textIn(version, "groupVersion"))];
}

function aggregatedResources(answer: Fields): Served {
  const versions = listIn(answer, "items").flatMap((group) => {
    const name = textIn(fieldsIn(group["metadata"]), "name");
    return listIn(group, "versions").map((version) => ({ name, version }));
  });
  return {
    resources: versions.flatMap(({ name, version }) =>
      listIn(version, "resources").map((item) => ({
        group: name,
        version: textIn(version, "version"),
        kind: textIn(fieldsIn(item["responseKind"]), "kind"),
        plural: textIn(item, "resource"),
        namespaced: textIn(item, "scope") === "Namespaced",
        verbs: textsIn(item, "verbs"),
      })),
    ),
    complete: versions.every(({ version }) => version["freshness"] !== "Stale"),
  };
}
