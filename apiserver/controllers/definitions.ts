import type { AnyObject } from "@kyma-operators/kube";
import { cleanupFinalizer, type Definition, type DefinitionCondition, definitions } from "../crd/definition.ts";
import { resourcesOf } from "../crd/serve.ts";
import { lacksFinalizer } from "../crd/strategy.ts";
import { equal } from "../resources/resource.ts";
import type { StoreEvent } from "../storage/store.ts";
import { timestamp } from "../system-clock.ts";
import { KeyLoop } from "./loop.ts";
import type { Objects } from "./objects.ts";

/** Serves the resources of CustomResourceDefinitions, keeps their status, deletes instances with the definition. */
export function runDefinitionController(objects: Objects): () => void {
  const { store } = objects.core;
  const loop = new KeyLoop(objects.core, (name) => reconcileDefinition(objects, name));
  const unsubscribeDefinitions = store.subscribe(definitions, store.revision, (event) => {
    serve(objects, event);
    loop.add(event.name);
  });
  const unsubscribeAll = store.subscribeAll(({ type, collection }) => {
    const custom = type === "DELETED" ? objects.core.registry.byCollection(collection)?.custom : undefined;
    // The last instance of a deleted definition lets it go.
    if (custom !== undefined) loop.add(custom.definition);
  });
  for (const { object } of store.list(definitions)) {
    register(objects, object as Definition);
    loop.add(object.metadata.name ?? "");
  }
  return () => {
    unsubscribeDefinitions?.();
    unsubscribeAll();
    loop.stop();
  };
}

function serve(objects: Objects, { type, name, stored, previous }: StoreEvent): void {
  if (type === "DELETED") objects.core.registry.replaceCustom(name, []);
  else if (previous === undefined || !equal(stored.object.spec, previous.object.spec))
    register(objects, stored.object as Definition);
}

/** Serves a definition whose names nobody else has. */
function register(objects: Objects, definition: Definition): void {
  const name = definition.metadata.name ?? "";
  const resources = namesConflict(objects, definition) === undefined ? resourcesOf(definition) : [];
  objects.core.registry.replaceCustom(name, resources);
}

/** What is wrong with the names of a definition: another one of the group has them. */
function namesConflict(objects: Objects, { metadata, spec }: Definition): string | undefined {
  const others = objects.core.registry
    .all()
    .filter(({ group, custom }) => group === spec.group && custom?.definition !== metadata.name);
  const { plural, kind, singular, listKind, shortNames = [] } = spec.names;
  for (const other of others) {
    const taken = new Set([other.plural, other.singular, ...other.shortNames]);
    const name = [plural, singular ?? "", ...shortNames].find((candidate) => taken.has(candidate));
    if (name !== undefined) return `"${name}" is already in use`;
    if (other.kind === kind || other.listKind === kind) return `"${kind}" is already in use`;
    if (other.listKind === listKind) return `"${listKind}" is already in use`;
  }
  return undefined;
}

async function reconcileDefinition(objects: Objects, name: string): Promise<void> {
  const definition = objects.get(definitions, "", name) as Definition | undefined;
  if (definition === undefined) return;
  if (lacksFinalizer(definition, cleanupFinalizer)) await addFinalizer(objects, definition);
  if (definition.metadata.deletionTimestamp === undefined) await reconcileStatus(objects, definition);
  else await deleteInstances(objects, definition);
}

/** Keeps a definition until its instances are gone. */
async function addFinalizer(objects: Objects, definition: Definition): Promise<void> {
  await objects.change(definitions, definition, (current) => ({
    ...current,
    metadata: { ...current.metadata, finalizers: [...(current.metadata.finalizers ?? []), cleanupFinalizer] },
  }));
}

async function reconcileStatus(objects: Objects, definition: Definition): Promise<void> {
  const conflict = namesConflict(objects, definition);
  if (conflict === undefined && objects.core.registry.byCollection(collectionOf(definition)) === undefined)
    register(objects, definition);
  await objects.changeStatus(definitions, definition, (current) =>
    statusOf(current as Definition, conflict, objects.now),
  );
}

function statusOf({ spec, status = {} }: Definition, conflict: string | undefined, now: number): unknown {
  const accepted = conflict === undefined;
  const conditions = [
    accepted
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", reason: "PluralConflict", message: conflict },
    accepted
      ? {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        }
      : { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
  ].map((condition) => withTransition(condition, status.conditions, now));
  const storage = spec.versions.find(({ storage }) => storage)?.name ?? "";
  const stored = status.storedVersions ?? [];
  return {
    ...status,
    conditions,
    acceptedNames: accepted ? spec.names : (status.acceptedNames ?? { plural: "", kind: "" }),
    storedVersions: stored.includes(storage) ? stored : [...stored, storage],
  };
}

function withTransition(
  condition: DefinitionCondition,
  known: readonly DefinitionCondition[] | null | undefined,
  now: number,
): DefinitionCondition {
  const before = known?.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : undefined;
  return { lastTransitionTime: lastTransitionTime ?? timestamp(now), ...condition };
}

const collectionOf = ({ spec }: Definition): string => `${spec.group}/${spec.names.plural}`;

async function deleteInstances(objects: Objects, definition: Definition): Promise<void> {
  const collection = collectionOf(definition);
  const isServed = objects.core.registry.byCollection(collection)?.custom?.definition === definition.metadata.name;
  for (const instance of isServed ? objects.list(collection) : []) {
    if (instance.metadata.deletionTimestamp === undefined) await objects.delete(collection, instance);
  }
  if (isServed && objects.list(collection).length > 0) return;
  await objects.change(definitions, definition, (current) => withoutFinalizer(current));
}

function withoutFinalizer(definition: AnyObject): AnyObject {
  const finalizers = (definition.metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer);
  return { ...definition, metadata: { ...definition.metadata, finalizers } };
}
