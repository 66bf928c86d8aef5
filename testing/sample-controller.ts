import {
  type AnyObject,
  builtIn,
  type Client,
  type KubeObject,
  type ObjectKey,
  type ObjectMeta,
  optional,
} from "@kyma-operators/kube";
import {
  type Context,
  ensureFinalizer,
  hasFinalizer,
  type Informer,
  jsonEqual,
  keyOf,
  type ManagerContext,
  type Outcome,
  refTo,
  removeFinalizer,
} from "@kyma-operators/runtime";

export const parents = builtIn.configMaps;
export const children = builtIn.secrets;

const finalizer = "sample.kyma-project.io/children";
const parentLabel = "sample.kyma-project.io/parent";

interface Parent extends AnyObject {
  data?: Record<string, string>;
}

const done: Outcome = { kind: "done" };
const retrySoon: Outcome = { kind: "wait", reason: "children are being deleted", afterMs: 1000 };

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
 * A controller as small as one can be that has all parts of a real one: a finalizer, an inventory, children that are
 * made, changed and pruned, an index, a summary written back, and a deletion that waits for the children.
 */
export function addSampleController(context: ManagerContext, options: { readonly concurrency?: number } = {}): void {
  const all = context.informer<Parent>(parents, { labelSelector: "sample=yes" });
  const owned = context.informer(children, {
    labelSelector: parentLabel,
    indexes: { parent: ({ metadata }) => parentsOf(metadata) },
  });
  const sample = new SampleController(context.client, all, owned);
  context.addController({
    name: "sample",
    concurrency: options.concurrency ?? 2,
    watches: [{ informer: all }, { informer: owned, map: ({ object }) => keysOfParent(object) }],
    reconcile: (key, ctx) => sample.reconcile(key, ctx),
  });
}

const parentsOf = ({ labels = {} }: ObjectMeta): readonly string[] => {
  const name = labels[parentLabel];
  return name === undefined ? [] : [name];
};

const keysOfParent = ({ metadata }: KubeObject): readonly ObjectKey[] =>
  parentsOf(metadata).map((name) => ({ namespace: metadata.namespace ?? "", name }));

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
    // On record before they exist: neither a crash nor an old list may leave a child that nobody knows of.
    if (wanted.length > ownedBy(observed)) return this.#record(observed, { owns: String(wanted.length) }, signal);
    await this.#write(wanted, signal);
    if (await this.#prune(observed, wanted.length, signal)) return retrySoon;
    const facts = { owns: String(wanted.length), summary: `${wanted.length} of ${observed.data?.["value"]}` };
    return this.#record(observed, facts, signal);
  }

  async #write(wanted: readonly AnyObject[], signal: AbortSignal): Promise<void> {
    for (const child of wanted) {
      const present = this.#children.store.get(keyOf(child));
      if (present !== undefined && jsonEqual(present["data"], child["data"])) continue;
      await this.#client.apply(children, child, { fieldManager: "sample", force: true, signal });
    }
  }

  /** Deletes the children from a number on, those on record and those seen; true when there were any. */
  async #prune(observed: Parent, from: number, signal: AbortSignal): Promise<boolean> {
    const { namespace = "", name = "" } = observed.metadata;
    const names = new Set<string>();
    for (let index = from; index < ownedBy(observed); index += 1) names.add(`${name}-${index}`);
    for (const { metadata } of this.#children.store.byIndex("parent", name)) names.add(metadata.name ?? "");
    for (let index = 0; index < from; index += 1) names.delete(`${name}-${index}`);
    let deleted = false;
    for (const child of names) {
      const ref = { resource: children, namespace, name: child };
      const gone = await optional(this.#client.delete(ref, { signal }).then(() => true));
      deleted ||= gone === true;
    }
    return deleted;
  }

  /** Writes facts beside the wish, unless they are there or the parent has changed meanwhile. */
  async #record(observed: Parent, facts: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Outcome> {
    if (jsonEqual({ ...observed.data, ...facts }, observed.data)) return done;
    const { resourceVersion } = observed.metadata;
    await this.#client.mergePatch(refTo(parents, observed), { metadata: { resourceVersion }, data: facts }, { signal });
    return done;
  }

  async #tearDown(observed: Parent, signal: AbortSignal): Promise<Outcome> {
    if (!hasFinalizer(observed, finalizer)) return done;
    if (await this.#prune(observed, 0, signal)) return retrySoon;
    await removeFinalizer(this.#client, parents, observed, { finalizer, unchanged: true, signal });
    return done;
  }
}

/** How many children may exist, as far as the parent tells. */
const ownedBy = ({ data = {} }: Parent): number => Number(data["owns"] ?? 0);

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
