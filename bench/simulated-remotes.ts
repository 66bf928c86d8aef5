import { createHash } from "node:crypto";
import {
  type AnyObject,
  type Clock,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  transportFrom,
} from "@kyma-operators/kube";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";
import { ourCrds } from "../testing/index.ts";
import { inTrouble, type Trouble } from "./cluster-troubles.ts";

/** What an object of one cluster has for itself; everything else is shared with its likes on other clusters. */
interface Stored {
  readonly content: AnyObject;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A path of the API, taken apart. */
interface Place {
  readonly collection: string;
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Thousands of remote clusters in one process. An embedded API server for each would need more memory and time than
 * what is measured; here a cluster is a map of objects, and equal objects of different clusters are kept once. What
 * kinds there are is asked of one real embedded server. Writes replace what they name; nothing is validated.
 */
export class SimulatedRemotes {
  /** Of the operator. */
  requests = 0;
  writes = 0;
  /** Clusters that the operator finds in trouble. */
  troubles: ReadonlyMap<string, Trouble> = new Map();
  readonly #clusters = new Map<string, Map<string, Map<string, Stored>>>();
  readonly #contents = new Map<string, AnyObject>();
  readonly #template: ApiServer;
  readonly #clock: Clock;
  #revision = 0;

  private constructor(template: ApiServer, clock: Clock) {
    this.#template = template;
    this.#clock = clock;
  }

  static async start(clock: Clock): Promise<SimulatedRemotes> {
    const template = await startApiServer({ listen: false, clock, workload: false, crds: await ourCrds() });
    return new SimulatedRemotes(template, clock);
  }

  async stop(): Promise<void> {
    await this.#template.stop();
  }

  /** The operator's way to a cluster, which exists from the first request on. */
  transportFor(cluster: string): Transport {
    return transportFrom(async (request) => {
      this.requests += 1;
      if (request.method !== "GET") this.writes += 1;
      const answer = (): Promise<TransportResponse> => this.#answer(cluster, request);
      const trouble = this.troubles.get(cluster);
      return trouble === undefined ? answer() : inTrouble(trouble, { request, clock: this.#clock, answer });
    }, cluster);
  }

  /** A user's way to a cluster, which counts for nothing and knows no trouble. */
  userTransportFor(cluster: string): Transport {
    return transportFrom(async (request) => this.#answer(cluster, request), cluster);
  }

  /** Makes a cluster that looks like another one, but for its name. */
  copy(from: string, to: string): void {
    for (const [collection, objects] of this.#clusters.get(from) ?? []) {
      const copies = this.#collection(to, collection);
      for (const [key, { content, resourceVersion }] of objects) {
        const renamed = JSON.stringify(content).replaceAll(from, to);
        copies.set(key, {
          content: this.#keep(JSON.parse(renamed) as AnyObject),
          uid: `${to}-${key}`,
          resourceVersion,
        });
      }
    }
  }

  async #answer(cluster: string, request: TransportRequest): Promise<TransportResponse> {
    const place = placeOf(request.path);
    if (place === undefined) return this.#template.transport(request);
    const objects = this.#collection(cluster, place.collection);
    const { status, body } = answerOf(request, place, {
      objects,
      keep: (content) => this.#keep(content),
      nextRevision: () => `${++this.#revision}`,
    });
    const bytes = encoder.encode(JSON.stringify(body));
    return { status, headers: { "content-type": "application/json" }, body: once(bytes) };
  }

  #collection(cluster: string, name: string): Map<string, Stored> {
    const collections = entry(this.#clusters, cluster, () => new Map<string, Map<string, Stored>>());
    return entry(collections, name, () => new Map<string, Stored>());
  }

  /** The one copy of an object that many clusters have. */
  #keep(content: AnyObject): AnyObject {
    const digest = createHash("sha1").update(JSON.stringify(content)).digest("base64");
    return entry(this.#contents, digest, () => content);
  }
}

interface Collection {
  readonly objects: Map<string, Stored>;
  readonly keep: (content: AnyObject) => AnyObject;
  readonly nextRevision: () => string;
}

function answerOf(request: TransportRequest, place: Place, collection: Collection): Answer {
  const key = `${place.namespace}/${place.name}`;
  const present = collection.objects.get(key);
  switch (request.method) {
    case "GET":
      if (place.name === "") return listOf(request, place, collection.objects);
      return present === undefined ? missing(place) : { status: 200, body: shown(present) };
    case "DELETE":
      return collection.objects.delete(key) ? { status: 200, body: success } : missing(place);
    default:
      return write(request, place, collection);
  }
}

function write(request: TransportRequest, place: Place, { objects, keep, nextRevision }: Collection): Answer {
  const sent = JSON.parse(textOf(request.body)) as Partial<AnyObject>;
  const key = keyOf(sent, place);
  const present = objects.get(key);
  const content = keep(withServerStatus(merge(present?.content ?? {}, changeIn(sent, place)) as AnyObject));
  if (content === present?.content) return { status: 200, body: shown(present) };
  const resourceVersion = nextRevision();
  const stored = { content, uid: present?.uid ?? `uid-${resourceVersion}`, resourceVersion };
  objects.set(key, stored);
  return { status: present === undefined ? 201 : 200, body: shown(stored) };
}

function keyOf({ metadata }: Partial<AnyObject>, { namespace, name }: Place): string {
  return `${namespace}/${name === "" ? (metadata?.name ?? "") : name}`;
}

/** What a request changes, without what tells one cluster's object from another's. */
function changeIn(sent: Partial<AnyObject>, { subresource }: Place): object {
  if (subresource === "status") return { status: sent["status"] };
  const { resourceVersion: _revision, uid: _uid, ...metadata } = sent.metadata ?? {};
  return { ...sent, metadata };
}

/** What controllers of the cluster would say at once. */
function withServerStatus(object: AnyObject): AnyObject {
  const metadata = { ...object.metadata, generation: 1, creationTimestamp: "2026-01-05T08:00:00Z" };
  const replicas = 1;
  switch (object.kind) {
    case "CustomResourceDefinition":
      return { ...object, metadata, status: { conditions: [{ type: "Established", status: "True" }] } };
    case "Deployment": {
      const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
      const conditions = [
        { type: "Available", status: "True", reason: "MinimumReplicasAvailable" },
        { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
      ];
      return { ...object, metadata, status: { observedGeneration: 1, ...counts, conditions } };
    }
    default:
      return { ...object, metadata };
  }
}

function listOf({ path, headers }: TransportRequest, place: Place, objects: Map<string, Stored>): Answer {
  const selector = /[?&]labelSelector=([^&]*)/.exec(path)?.[1] ?? "";
  const [label = "", value] = decodeURIComponent(selector).split("=");
  const found = [...objects]
    .filter(([key]) => place.namespace === "" || key.startsWith(`${place.namespace}/`))
    .map(([, stored]) => shown(stored))
    .filter(({ metadata }) => selector === "" || metadata.labels?.[label] === value);
  const metadataOnly = headers["accept"]?.includes("PartialObjectMetadata") === true;
  const items = metadataOnly ? found.map(({ metadata }) => ({ metadata })) : found;
  return { status: 200, body: { kind: "List", apiVersion: "v1", metadata: { resourceVersion: "1" }, items } };
}

function shown({ content, uid, resourceVersion }: Stored): AnyObject {
  return { ...content, metadata: { ...content.metadata, uid, resourceVersion } };
}

const success = { kind: "Status", apiVersion: "v1", status: "Success" };

function missing({ name, collection }: Place): Answer {
  const details = { name, kind: collection };
  return { status: 404, body: { kind: "Status", status: "Failure", reason: "NotFound", code: 404, details } };
}

const placePattern =
  /^(\/api\/v1|\/apis\/[^/]+\/[^/?]+)(?:\/namespaces\/([^/?]+)(?=\/))?\/([^/?]+)(?:\/([^/?]+))?(?:\/([^/?]+))?/;

/** Undefined for everything that is no object and no collection, such as discovery. */
function placeOf(path: string): Place | undefined {
  const found = placePattern.exec(path);
  if (found === null) return undefined;
  const [, root = "", namespace = "", plural = "", name = "", subresource = ""] = found;
  return { collection: `${root}/${plural}`, namespace, name, subresource };
}

function merge(old: unknown, change: unknown): unknown {
  if (!isRecord(old) || !isRecord(change)) return change;
  const merged: Record<string, unknown> = { ...old };
  for (const [key, value] of Object.entries(change)) merged[key] = merge(old[key], value);
  return merged;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(body: string | Uint8Array | undefined): string {
  return typeof body === "string" ? body : decoder.decode(body);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
