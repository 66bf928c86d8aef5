import {
  type AnyObject,
  type Client,
  type KubeObject,
  type ObjectKey,
  optional,
  type Resource,
} from "@kyma-operators/kube";
import {
  type Context,
  ensureFinalizer,
  hasFinalizer,
  type Informer,
  jsonEqual,
  type ManagerContext,
  type Outcome,
  removeFinalizer,
} from "@kyma-operators/runtime";

const core = { group: "", version: "v1", namespaced: true } as const;
export const parents: Resource = { ...core, kind: "ConfigMap", plural: "configmaps" };
export const children: Resource = { ...core, kind: "Secret", plural: "secrets" };

const finalizer = "sample.kyma-project.io/children";
const parentLabel = "sample.kyma-project.io/parent";

interface Parent extends AnyObject {
  data?: Record<string, string>;
}

const done: Outcome = { kind: "done" };

/** A ConfigMap that asks for children: `data.children` is their number, `data.value` what each of them holds. */
export function parent(name: string, wish: { readonly children: number; readonly value: string }): Parent {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", labels: { sample: "yes" } },
    data: { children: String(wish.children), value: wish.value },
  };
}

/**
 * A controller as small as one can be that has all parts of a real one: a finalizer, children that are made, changed
 * and pruned, an index, a summary written back, and a deletion that waits for the children.
 */
export function addSampleController(context: ManagerContext, options: { readonly concurrency?: number } = {}): void {
  const all = context.informer<Parent>(parents, { labelSelector: "sample=yes" });
  const owned = context.informer<AnyObject>(children, {
    labelSelector: parentLabel,
    indexes: { parent: byParent },
  });
  const sample = new SampleController(context.client, all, owned);
  context.addController({
    name: "sample",
    concurrency: options.concurrency ?? 2,
    watches: [{ informer: all }, { informer: owned, map: ({ object }) => keysOfParent(object) }],
    reconcile: (key, ctx) => sample.reconcile(key, ctx),
  });
}

const byParent = ({ metadata }: KubeObject): readonly string[] => {
  const name = metadata.labels?.[parentLabel];
  return name === undefined ? [] : [name];
};

const keysOfParent = (object: KubeObject): readonly ObjectKey[] =>
  byParent(object).map((name) => ({ namespace: object.metadata.namespace ?? "", name }));

class SampleController {
  readonly #client: Client;
  readonly #parents: Informer<Parent>;
  readonly #children: Informer<AnyObject>;

  constructor(client: Client, all: Informer<Parent>, owned: Informer<AnyObject>) {
    this.#client = client;
    this.#parents = all;
    this.#children = owned;
  }

  async reconcile(key: ObjectKey, { signal }: Context): Promise<Outcome> {
    const observed = this.#parents.store.get(key);
    if (observed === undefined) return done;
    if (observed.metadata.deletionTimestamp !== undefined) return this.#tearDown(observed, signal);
    if (await ensureFinalizer(this.#client, parents, observed, { finalizer, signal })) return done;
    const wanted = wantedChildren(observed);
    await this.#write(wanted, signal);
    await this.#prune(observed, wanted, signal);
    await this.#summarize(observed, wanted.length, signal);
    return done;
  }

  async #write(wanted: readonly AnyObject[], signal: AbortSignal): Promise<void> {
    for (const child of wanted) {
      const { namespace = "", name = "" } = child.metadata;
      const present = this.#children.store.get({ namespace, name });
      if (present !== undefined && jsonEqual(present["data"], child["data"])) continue;
      await this.#client.apply(children, child, { fieldManager: "sample", force: true, signal });
    }
  }

  async #prune(observed: Parent, wanted: readonly AnyObject[], signal: AbortSignal): Promise<void> {
    const names = new Set(wanted.map(({ metadata }) => metadata.name));
    for (const { metadata } of this.#children.store.byIndex("parent", observed.metadata.name ?? "")) {
      if (!names.has(metadata.name)) await this.#delete(metadata.namespace ?? "", metadata.name ?? "", signal);
    }
  }

  async #summarize(observed: Parent, count: number, signal: AbortSignal): Promise<void> {
    const summary = `${count} of ${observed.data?.["value"]}`;
    if (observed.data?.["summary"] === summary) return;
    const { namespace = "", name = "" } = observed.metadata;
    await this.#client.mergePatch({ resource: parents, namespace, name }, { data: { summary } }, { signal });
  }

  async #tearDown(observed: Parent, signal: AbortSignal): Promise<Outcome> {
    if (!hasFinalizer(observed, finalizer)) return done;
    const left = this.#children.store.byIndex("parent", observed.metadata.name ?? "");
    for (const { metadata } of left) await this.#delete(metadata.namespace ?? "", metadata.name ?? "", signal);
    if (left.length > 0) return { kind: "wait", reason: "children are being deleted", afterMs: 5000 };
    await removeFinalizer(this.#client, parents, observed, { finalizer, signal });
    return done;
  }

  async #delete(namespace: string, name: string, signal: AbortSignal): Promise<void> {
    await optional(this.#client.delete({ resource: children, namespace, name }, { signal }));
  }
}

function wantedChildren({ metadata, data = {} }: Parent): readonly AnyObject[] {
  const count = Number(data["children"] ?? 0);
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `${metadata.name}-${index}`,
      namespace: metadata.namespace ?? "",
      labels: { [parentLabel]: metadata.name ?? "" },
    },
    data: { value: Buffer.from(data["value"] ?? "").toString("base64") },
  }));
}
