import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { array, assert as check, constantFrom, nat, option, property, record, string as text } from "fast-check";
import { Store, type StoreEvent } from "./store.ts";

const collection = "/configmaps";
const at = (name: string, namespace = "a"): { collection: string; namespace: string; name: string } => ({
  collection,
  namespace,
  name,
});
const object = (name: string, value = "", namespace = "a"): AnyObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  value,
});
const names = (store: Store, namespace?: string): readonly unknown[] =>
  store.list(collection, namespace).map((stored) => stored.object.metadata.name);

describe("Store", () => {
  test("gives each write the next revision", () => {
    const store = new Store();
    const first = store.put(at("x"), object("x"));
    const second = store.put(at("x"), object("x", "new"));
    deepEqual([first.revision, second.revision, second.object.metadata.resourceVersion], [2, 3, "3"]);
  });

  test("lists by namespace and name", () => {
    const store = new Store();
    for (const [name, namespace] of [
      ["b", "z"],
      ["c", "a"],
      ["a", "z"],
    ] as const)
      store.put(at(name, namespace), object(name, "", namespace));
    deepEqual(names(store), ["c", "a", "b"]);
    deepEqual(names(store, "z"), ["a", "b"]);
  });

  test("shows the past as it was", () => {
    const store = new Store();
    store.put(at("x"), object("x", "1"));
    const { revision } = store.put(at("y"), object("y"));
    store.put(at("x"), object("x", "2"));
    store.remove(at("y"));
    store.put(at("z"), object("z"));
    deepEqual(
      store.listAt(collection, "a", revision)?.map((stored) => [stored.object.metadata.name, stored.object.value]),
      [
        ["x", "1"],
        ["y", ""],
      ],
    );
  });

  test("replays what a late listener missed, then goes on", () => {
    const store = new Store();
    const { revision } = store.put(at("x"), object("x"));
    store.put(at("y"), object("y"));
    const seen: string[] = [];
    const stop = store.subscribe(collection, revision, ({ type, name }) => seen.push(`${type} ${name}`));
    store.remove(at("x"));
    stop?.();
    store.put(at("z"), object("z"));
    deepEqual(seen, ["ADDED y", "DELETED x"]);
  });

  test("says when the history is gone", () => {
    const store = new Store();
    for (let index = 0; index < 13_000; index += 1) store.put(at("x"), object("x", String(index)));
    equal(
      store.subscribe(collection, 2, () => undefined),
      undefined,
    );
    equal(store.listAt(collection, undefined, 2), undefined);
    equal(store.oldest(collection) > 2, true);
  });

  test("any history replays to the state it led to", () => {
    const step = record({ name: constantFrom("a", "b", "c"), value: option(text({ maxLength: 2 })) });
    check(
      property(array(step, { maxLength: 40 }), nat(40), (steps, cut) => {
        const store = new Store();
        const events: StoreEvent[] = [];
        const snapshots = new Map<number, unknown>();
        store.subscribe(collection, 0, (event) => events.push(event));
        for (const { name, value } of steps) {
          if (value === null) store.remove(at(name));
          else store.put(at(name), object(name, value));
          snapshots.set(
            store.revision,
            store.list(collection).map((stored) => stored.object),
          );
        }
        const replayed = new Map<string, AnyObject>();
        for (const { type, name, stored } of events) {
          if (type === "DELETED") replayed.delete(name);
          else replayed.set(name, stored.object);
        }
        deepEqual([...replayed.keys()].sort(), names(store));
        const revision = [...snapshots.keys()][cut];
        if (revision !== undefined)
          deepEqual(
            store.listAt(collection, undefined, revision)?.map((stored) => stored.object),
            snapshots.get(revision),
          );
      }),
      { numRuns: 300 },
    );
  });
});
