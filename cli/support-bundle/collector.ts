import { hasCode, redact, textOf } from "@kyma-operators/errors";
import { type AnyObject, apiVersionOf, builtIn, type Client, type Resource } from "@kyma-operators/kube";
import { gardenerClusterResource, runtimeResource } from "../../apis/infrastructure/names.ts";
import { kinds } from "../../apis/operator/group.ts";
import { redactLog } from "./redaction.ts";
import { worstFirst } from "./severity.ts";

/** What a bundle holds at most; the rest is counted in its notes. */
export const limits = {
  objectsPerKind: 500,
  events: 2_000,
  pods: 40,
  logLines: 5_000,
  textBytes: 1024 * 1024,
} as const;

const { deployments, events, leases, pods } = builtIn;
/** In the order in which things depend on each other. Secrets are never among them. */
const collected: readonly Resource[] = [deployments, pods, leases, runtimeResource, gardenerClusterResource, ...kinds];

/** A text of the bundle. */
export interface Text {
  readonly path: string;
  readonly text: string;
}

/** Objects of one kind. */
export interface Listing {
  readonly resource: Resource;
  readonly items: readonly AnyObject[];
}

interface PodObject extends AnyObject {
  readonly spec?: {
    readonly containers?: readonly {
      readonly name: string;
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
    }[];
  };
  readonly status?: {
    readonly containerStatuses?: readonly { readonly name: string; readonly restartCount?: number }[];
  };
}

/** Reads a cluster for a bundle. What can't be read is noted, and the rest goes on. */
export class Collector {
  /** What is missing from the bundle, and why. */
  readonly notes: string[] = [];
  readonly #client: Client;
  readonly #namespaces: readonly string[];
  readonly #signal: AbortSignal;

  constructor(client: Client, namespaces: readonly string[], signal: AbortSignal) {
    this.#client = client;
    this.#namespaces = namespaces;
    this.#signal = signal;
  }

  /** Every kind of ours, and what runs it. */
  async listings(): Promise<readonly Listing[]> {
    const found: Listing[] = [];
    for (const resource of collected) {
      const items = await this.#list(resource);
      found.push({ resource, items: this.#bounded(resource, items) });
    }
    return found;
  }

  /** The newest events, oldest first. */
  async events(): Promise<readonly AnyObject[]> {
    const found = [...(await this.#list(events))].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
    if (found.length > limits.events) this.notes.push(`events: the newest ${limits.events} of ${found.length}`);
    return found.slice(-limits.events);
  }

  /**
   * Logs and metrics of the Pods, the logs of crashed containers too, redacted: what has been cut can't be told to be a
   * secret.
   */
  async ofPods(found: readonly AnyObject[]): Promise<readonly Text[]> {
    if (found.length > limits.pods) this.notes.push(`logs: of the first ${limits.pods} of ${found.length} Pods`);
    const texts: Text[] = [];
    for (const pod of found.slice(0, limits.pods) as readonly PodObject[]) {
      for (const { path, from } of sourcesOf(pod)) {
        const text = await this.attempt(from.split("?")[0] ?? from, this.#client.raw(from, { signal: this.#signal }));
        if (typeof text === "string" && text !== "")
          texts.push({ path, text: redactLog(text).slice(-limits.textBytes) });
      }
    }
    return texts;
  }

  async #list(resource: Resource): Promise<readonly AnyObject[]> {
    const items: AnyObject[] = [];
    for (const namespace of this.#namespaces) {
      const answer = this.#client.list(resource, { namespace, signal: this.#signal });
      const list = await this.attempt(`${resource.plural} in ${namespace}`, answer);
      // Lists leave out what all their items share.
      const shared = { apiVersion: apiVersionOf(resource), kind: resource.kind };
      items.push(...(list?.items ?? []).map((item) => ({ ...item, ...shared })));
    }
    return items.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  /** Of too many objects the worst stay. */
  #bounded({ plural }: Resource, items: readonly AnyObject[]): readonly AnyObject[] {
    const { objectsPerKind } = limits;
    if (items.length <= objectsPerKind) return items;
    this.notes.push(`${plural}: the worst ${objectsPerKind} of ${items.length}`);
    const chosen = new Set(worstFirst(items).slice(0, objectsPerKind));
    return items.filter((item) => chosen.has(item));
  }

  /** The answer, or undefined when it fails, which is noted. */
  async attempt<T>(what: string, answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      this.#signal.throwIfAborted();
      const isUnknown = hasCode(error, "KUBE_NO_MATCH") || hasCode(error, "KUBE_NOT_FOUND");
      this.notes.push(`${what}: ${isUnknown ? "not known to the cluster" : redact(textOf(error))}`);
      return undefined;
    }
  }
}

/** Paths of the API server behind which a Pod's texts are, and where they go in the bundle. */
function sourcesOf({ metadata, spec, status }: PodObject): readonly { readonly path: string; readonly from: string }[] {
  const { namespace = "", name = "" } = metadata;
  const [pod, folder] = [`/api/v1/namespaces/${namespace}/pods/${name}`, `${namespace}/${name.slice(0, 70)}`];
  return (spec?.containers ?? []).flatMap((container) => {
    const log = `${pod}/log?container=${container.name}&tailLines=${limits.logLines}`;
    const restarts = status?.containerStatuses?.find((one) => one.name === container.name)?.restartCount ?? 0;
    const port = container.ports?.find((one) => one.name === "metrics")?.containerPort;
    return [
      { path: `logs/${folder}/${container.name}.log`, from: log },
      ...(restarts > 0
        ? [{ path: `logs/${folder}/${container.name}.previous.log`, from: `${log}&previous=true` }]
        : []),
      ...(port === undefined ? [] : [{ path: `metrics/${folder}.txt`, from: `${pod}:${port}/proxy/metrics` }]),
    ];
  });
}

function nameOf({ metadata }: AnyObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** When an event happened last, RFC 3339. */
export function timeOf(event: AnyObject): string {
  const { eventTime, deprecatedLastTimestamp, series } = event as {
    readonly eventTime?: string | null;
    readonly deprecatedLastTimestamp?: string | null;
    readonly series?: { readonly lastObservedTime?: string };
  };
  const times = [series?.lastObservedTime, eventTime, deprecatedLastTimestamp, event.metadata.creationTimestamp];
  return times.find((time) => time !== undefined && time !== null && time !== "") ?? "";
}
