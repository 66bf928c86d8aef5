import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { array, assert, constantFrom, option, property, record, subarray } from "fast-check";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { identityOf, type SyncedRef } from "../inventory/identity.ts";
import { claimsChanged, refsOf } from "./claimed-refs.ts";
import { Claims } from "./claims.ts";

const ref = (name: string): SyncedRef => ({ group: "", version: "v1", kind: "ConfigMap", namespace: "team", name });
const resource = { apiVersion: "demo.example.org/v1", kind: "Alpha", metadata: { name: "default" } };

function manifestOf(name: string, objects: readonly string[], metadata: Partial<Manifest["metadata"]> = {}): Manifest {
  return {
    apiVersion: "operator.kyma-project.io/v1beta2",
    kind: "Manifest",
    metadata: { namespace: "kcp-system", name, ...metadata },
    spec: { remote: true, resource } as unknown as Manifest["spec"],
    status: { state: "Ready", synced: objects.map(ref) },
  };
}

/** Manifests by name; the first letter of the name is their cluster. */
class Fleet {
  readonly manifests = new Map<string, Manifest>();
  readonly claims: Claims;
  asked = 0;

  constructor() {
    const clusterOf = ({ metadata: { name = "" } }: Manifest): string => name.slice(0, 1);
    this.claims = new Claims({
      get: ({ name }) => this.manifests.get(name),
      clusterOf,
      of: (manifest) => {
        this.asked += 1;
        return [...this.manifests.values()].filter((other) => clusterOf(other) === clusterOf(manifest));
      },
    });
  }

  put(manifest: Manifest): void {
    const { name = "" } = manifest.metadata;
    const old = this.manifests.get(name);
    this.manifests.set(name, manifest);
    if (old === undefined) this.claims.follow({ type: "added", object: manifest, initial: false });
    else this.claims.follow({ type: "updated", old, object: manifest });
  }

  delete(name: string): void {
    const object = this.manifests.get(name);
    this.manifests.delete(name);
    // The last event need not hold what came in before.
    if (object !== undefined) this.claims.follow({ type: "deleted", object: { ...object, status: { state: "" } } });
  }

  holders(name: string, object: string): readonly string[] {
    const manifest = this.manifests.get(name) ?? manifestOf(name, []);
    const wanted = ref(object);
    return (this.claims.holdersOf(manifest, [wanted]).get(identityOf(wanted)) ?? []).toSorted();
  }
}

const names = ["a1", "a2", "a3", "b1"];
const objects = ["x", "y", "z"];
const step = record({
  name: constantFrom(...names),
  has: option(subarray(objects)),
  asks: constantFrom(...names),
});

describe("who has an object", () => {
  test("is what the inventories of the cluster say, whatever came, changed and went", () => {
    assert(
      property(array(step, { maxLength: 30 }), (steps) => {
        const fleet = new Fleet();
        for (const { name, has, asks } of steps) {
          if (has === null) fleet.delete(name);
          else fleet.put(manifestOf(name, has));
          for (const object of objects) {
            const others = [...fleet.manifests.values()].filter(
              ({ metadata, status }) =>
                metadata.name !== asks &&
                metadata.name?.slice(0, 1) === asks.slice(0, 1) &&
                status?.synced?.some((entry) => entry.name === object) === true,
            );
            const expected = others.map(({ metadata }) => `kcp-system/${metadata.name ?? ""}`).toSorted();
            deepEqual(fleet.holders(asks, object), expected);
          }
          const around = [...fleet.manifests.values()].filter(({ metadata }) => metadata.name?.[0] === asks[0]);
          const held = around.flatMap(({ status }) => status?.synced ?? []).map(identityOf);
          equal(fleet.claims.anyShared(manifestOf(asks, [])), new Set(held).size < held.length);
        }
      }),
    );
  });

  test("is found without a look at all Manifests of the cluster for each of them", () => {
    const fleet = new Fleet();
    for (let index = 0; index < 200; index += 1) fleet.put(manifestOf(`a${index}`, ["x", `own-${index}`]));
    for (let index = 0; index < 200; index += 1) equal(fleet.holders(`a${index}`, "x").length, 199);
    for (let index = 0; index < 200; index += 1) fleet.put(manifestOf(`a${index}`, [`own-${index}`]));
    for (let index = 0; index < 200; index += 1) equal(fleet.holders(`a${index}`, "x").length, 0);
    equal(fleet.asked, 1);
  });

  test("is not one that lets it go at the moment, until its next pass begins", () => {
    const fleet = new Fleet();
    const first = manifestOf("a1", ["x", "y"]);
    fleet.put(first);
    fleet.put(manifestOf("a2", ["x", "y"]));
    fleet.claims.letGo(first, [ref("x")]);
    deepEqual([fleet.holders("a2", "x"), fleet.holders("a2", "y")], [[], ["kcp-system/a1"]]);
    fleet.claims.reset("kcp-system/a1");
    deepEqual(fleet.holders("a2", "x"), ["kcp-system/a1"]);
  });

  test("is an unmanaged one for those that are managed, not for another unmanaged one", () => {
    const fleet = new Fleet();
    const unmanaged = { annotations: { "operator.kyma-project.io/is-unmanaged": "true" } };
    fleet.put(manifestOf("a1", ["x"], unmanaged));
    fleet.put(manifestOf("a2", ["x"], unmanaged));
    fleet.put(manifestOf("a3", ["x"]));
    deepEqual(fleet.holders("a1", "x"), ["kcp-system/a3"]);
    deepEqual(fleet.holders("a3", "x"), ["kcp-system/a1", "kcp-system/a2"]);
  });
});

describe("what a Manifest has", () => {
  const withCR = { finalizers: ["resource.kyma-project.io/finalizer"] };

  test("includes its default CR only once its finalizer is there", () => {
    const kindsOf = (manifest: Manifest): readonly string[] => refsOf(manifest).map(({ kind }) => kind);
    deepEqual(kindsOf(manifestOf("a1", ["x"])), ["ConfigMap"]);
    deepEqual(kindsOf(manifestOf("a1", ["x"], withCR)), ["ConfigMap", "Alpha"]);
  });

  const base = manifestOf("a1", ["x", "y"], withCR);
  const otherCR = { ...resource, metadata: { name: "other" } };
  const changes: readonly (readonly [string, Manifest, boolean])[] = [
    ["equal content", structuredClone(base), false],
    ["another state", { ...base, status: { state: "Error", synced: ["x", "y"].map(ref) } }, false],
    ["another object", manifestOf("a1", ["x", "z"], withCR), true],
    ["one object less", manifestOf("a1", ["x"], withCR), true],
    ["a deletion", manifestOf("a1", ["x", "y"], { ...withCR, deletionTimestamp: "2026-01-01T00:00:00Z" }), true],
    [
      "another Kyma",
      manifestOf("a1", ["x", "y"], { ...withCR, labels: { "operator.kyma-project.io/kyma-name": "k" } }),
      true,
    ],
    ["no finalizer of the CR any more", manifestOf("a1", ["x", "y"]), true],
    ["another CR", { ...base, spec: { ...base.spec, resource: otherCR } }, true],
  ];
  for (const [name, now, expected] of changes) {
    test(`${expected ? "changes" : "does not change"} with ${name}`, () => equal(claimsChanged(base, now), expected));
  }

  test("is the same when the last event of a Manifest says less than was known", () => {
    const fleet = new Fleet();
    fleet.put(manifestOf("a1", ["x"]));
    deepEqual(fleet.holders("a2", "x"), ["kcp-system/a1"]);
    fleet.delete("a1");
    fleet.put(manifestOf("a1", []));
    deepEqual(fleet.holders("a2", "x"), []);
    ok(!fleet.claims.isPeer(manifestOf("b1", []), "kcp-system/a1"));
  });
});
