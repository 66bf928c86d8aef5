import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { Dependents } from "./dependents.ts";
import { Store } from "./store.ts";

const key = { collection: "/pods", namespace: "default", name: "web-1" };

function pod(...owners: readonly string[]): AnyObject {
  const ownerReferences = owners.map((uid) => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name: uid, uid }));
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "web-1", namespace: "default", ownerReferences } };
}

describe("Dependents", () => {
  test("follow an object from one owner to another", () => {
    const dependents = new Dependents();
    dependents.track(key, pod("a", "b"), undefined);
    dependents.track(key, pod("b", "c"), pod("a", "b"));
    deepEqual(
      ["a", "b", "c"].map((uid) => dependents.of(uid).length),
      [0, 1, 1],
    );
  });

  test("forget an object that was removed", () => {
    const dependents = new Dependents();
    dependents.track(key, pod("a"), undefined);
    dependents.track(key, undefined, pod("a"));
    deepEqual(dependents.of("a"), []);
  });

  test("are known by a store, also of what was kept before it started", () => {
    const json = JSON.stringify(pod("a"));
    const store = new Store({
      load: () => [{ ...key, revision: 2, json }],
      revision: () => 2,
      write: () => undefined,
      close: () => undefined,
    });
    deepEqual(store.dependents("a"), [key]);
    store.put(key, pod());
    deepEqual(store.dependents("a"), []);
    store.put({ ...key, name: "web-2" }, pod("a"));
    deepEqual(store.dependents("a"), [{ ...key, name: "web-2" }]);
    store.remove({ ...key, name: "web-2" });
    deepEqual(store.dependents("a"), []);
  });
});
