import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "@jest/globals";
import type { KubeObject } from "@kyma-operators/kube";
import { IndexedStore } from "./store.ts";

const object = (name: string, colour?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "a", ...(colour === undefined ? {} : { labels: { colour } }) },
});
const byColour = ({ metadata }: KubeObject): string[] =>
  metadata.labels?.["colour"] ? [metadata.labels["colour"]] : [];
const namesOf = (objects: readonly KubeObject[]): unknown[] => objects.map(({ metadata }) => metadata.name);

test("indexes follow every change, also when they come after the objects", () => {
  const store = new IndexedStore<KubeObject>("Pod");
  store.put(object("one", "red"));
  store.addIndex("colour", byColour);
  store.put(object("two", "red"));
  store.put(object("three"));
  deepEqual(namesOf(store.byIndex("colour", "red")), ["one", "two"]);

  equal(store.put(object("one", "blue"))?.metadata.labels?.["colour"], "red");
  store.remove({ namespace: "a", name: "two" });
  deepEqual(namesOf(store.byIndex("colour", "red")), []);
  deepEqual(namesOf(store.byIndex("colour", "blue")), ["one"]);
  deepEqual(namesOf(store.list()), ["one", "three"]);
  equal(store.size, 2);
});

test("an unknown index and a second function for a known one are refused by name", () => {
  const store = new IndexedStore<KubeObject>("Pod");
  store.addIndex("colour", byColour);
  store.addIndex("colour", byColour);
  throws(() => store.byIndex("color", "red"), {
    code: "RUNTIME_UNKNOWN_INDEX",
    message: /Pod has no index color; it has colour/,
  });
  throws(() => store.addIndex("colour", () => []), { code: "RUNTIME_INDEX_EXISTS" });
});

test("a list is a snapshot that later changes leave alone", () => {
  const store = new IndexedStore<KubeObject>("Pod");
  store.put(object("one"));
  const before = store.list();
  equal(store.list(), before);
  store.put(object("two"));
  equal(before.length, 1);
  throws(() => (before as KubeObject[]).push(object("x")), TypeError);
});
