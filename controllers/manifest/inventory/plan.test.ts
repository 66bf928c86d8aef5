import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { assert, property, subarray } from "fast-check";
import { describeRef, identityOf, type SyncedRef, versionedIdOf } from "./identity.ts";
import {
  hasSyncedDiff,
  isEmptyPlan,
  type Plan,
  planPrune,
  planWrites,
  type Recorded,
  renderedOf,
  unionOfRefs,
} from "./plan.ts";

const object = (apiVersion: string, kind: string, name: string, more: Record<string, unknown> = {}): AnyObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(clusterScoped.has(kind) ? {} : { namespace: "kyma-system" }) },
  ...more,
});
const clusterScoped = new Set(["Namespace", "CustomResourceDefinition", "ClusterRole"]);

const team = object("v1", "Namespace", "team");
const crd = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "lamps.example.org");
const account = object("v1", "ServiceAccount", "manager");
const manager = object("apps/v1", "Deployment", "manager");
const database = object("apps/v1", "StatefulSet", "database");
const hook = object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook");
const lamp = object("example.org/v1", "Lamp", "default");
const settings = object("v1", "ConfigMap", "settings");

const recorded = (objects: readonly AnyObject[]): Recorded[] =>
  objects.map(renderedOf).map(({ ref, digest }) => ({ id: versionedIdOf(ref), digest }));
const refs = (objects: readonly AnyObject[]): SyncedRef[] => objects.map((entry) => renderedOf(entry).ref);
const plan = (wanted: readonly AnyObject[], have: readonly AnyObject[]): Plan =>
  planWrites(wanted.map(renderedOf), refs(have), recorded(have));
const waves = ({ apply }: Plan): string[][] => apply.map((wave) => wave.map(({ ref }) => describeRef(ref)));

describe("planWrites", () => {
  test("asks for nothing when every digest is on record", () => {
    const all = [team, settings, manager];

    equal(isEmptyPlan(plan(all, all)), true);
  });

  test("applies namespaces and CRDs before permissions, workloads, and what needs a running operator", () => {
    deepEqual(waves(plan([lamp, hook, manager, account, crd, team], [])), [
      ["CustomResourceDefinition lamps.example.org", "Namespace team"],
      ["ServiceAccount kyma-system/manager"],
      ["Deployment kyma-system/manager"],
      ["Lamp kyma-system/default", "ValidatingWebhookConfiguration kyma-system/hook"],
    ]);
  });

  test("applies only what changed", () => {
    const changed = { ...settings, data: { a: "b" } };

    deepEqual(waves(plan([manager, changed], [manager, settings])), [["ConfigMap kyma-system/settings"]]);
  });

  test("applies again what another hand has changed on the cluster", () => {
    const drifted = new Set([identityOf(renderedOf(manager).ref)]);
    const found = planWrites(
      [manager, settings].map(renderedOf),
      refs([manager, settings]),
      recorded([manager, settings]),
      drifted,
    );

    deepEqual(waves(found), [["Deployment kyma-system/manager"]]);
  });

  test("deletes what is no longer rendered, the operator last (M10, fault 61)", () => {
    const { pruneFirst, pruneLast } = plan([], [database, manager, settings, crd]);

    deepEqual(pruneFirst.map(describeRef), ["ConfigMap kyma-system/settings"]);
    deepEqual(pruneLast.map(describeRef), [
      "StatefulSet kyma-system/database",
      "Deployment kyma-system/manager",
      "CustomResourceDefinition lamps.example.org",
    ]);
  });

  test("keeps an object that moved to another version of its API (fault 54)", () => {
    const old = object("apps/v1beta1", "Deployment", "manager");
    const { apply, pruneFirst, pruneLast } = plan([manager], [old]);

    equal(apply.flat().length, 1);
    deepEqual([...pruneFirst, ...pruneLast], []);
  });

  test("tells objects of one name and kind in two groups apart (fault 57)", () => {
    const own = object("example.org/v1", "Deployment", "manager");

    deepEqual(plan([own], [own, manager]).pruneLast.map(describeRef), ["Deployment kyma-system/manager"]);
  });

  test("never deletes the namespace kyma-system (U060)", () => {
    const kymaSystem = object("v1", "Namespace", "kyma-system");
    const { pruneFirst, pruneLast } = plan([], [kymaSystem, crd, team]);

    deepEqual([...pruneFirst, ...pruneLast].map(describeRef), [
      "CustomResourceDefinition lamps.example.org",
      "Namespace team",
    ]);
  });

  test("a second plan after carrying out the first is empty, whatever the lists", () => {
    const some = subarray([team, crd, account, manager, database, hook, lamp, settings]);

    assert(
      property(some, some, (wanted, have) => {
        const first = plan(wanted, have);
        const left = have.filter((entry) => wanted.includes(entry));
        const after = [...left, ...first.apply.flat().map(({ object }) => object)];
        equal(isEmptyPlan(plan(wanted, after)), true);
      }),
      { numRuns: 200 },
    );
  });
});

describe("planPrune", () => {
  test("lists by full identity (U061)", () => {
    const elsewhere = { ...refs([settings])[0], namespace: "other" } as SyncedRef;

    deepEqual(planPrune([elsewhere], refs([settings])).pruneFirst.map(describeRef), ["ConfigMap kyma-system/settings"]);
  });
});

describe("hasSyncedDiff", () => {
  const [a, b] = refs([settings, manager]) as [SyncedRef, SyncedRef];
  const cases: readonly [name: string, before: SyncedRef[], after: SyncedRef[], differs: boolean][] = [
    ["same list", [a, b], [a, b], false],
    ["another order", [a, b], [b, a], false],
    ["one more", [a], [a, b], true],
    ["one fewer", [a, b], [a], true],
    ["same count, other names", [a], [b], true],
    ["a duplicate replaced by another object (M15)", [a, a], [a, b], true],
    ["both empty", [], [], false],
  ];

  for (const [name, before, after, differs] of cases) {
    test(`says ${differs} for: ${name} (U065)`, () => equal(hasSyncedDiff(before, after), differs));
  }
});

test("the union of references keeps the old order and returns the same list when nothing is new", () => {
  const before = refs([settings, manager]);

  equal(unionOfRefs(before, refs([manager])), before);
  deepEqual(
    unionOfRefs(before, refs([team]))
      .map(describeRef)
      .at(-1),
    "Namespace team",
  );
});
