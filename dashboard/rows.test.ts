import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { KubeObject } from "@kyma-operators/kube";
import type { Informer } from "@kyma-operators/runtime";
import type { Runtime } from "../apis/infrastructure/index.ts";
import { type Kyma, type ModuleStatus } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { type FleetKind, type FleetRow, rowsOf, statesOf, watchedKinds } from "./rows.ts";
import type { Sources } from "./sources.ts";

const created = "2026-01-05T08:00:00Z";

function informer<T extends KubeObject>(...objects: readonly T[]): Informer<T> {
  const get = ({ namespace, name }: { namespace: string; name: string }): T | undefined =>
    objects.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  return {
    resource: { group: "", version: "v1", kind: "", plural: "", namespaced: true },
    store: { get, list: () => objects, byIndex: () => [] },
    synced: true,
    onChange: () => () => undefined,
  };
}
const metadata = (name: string, labels: Record<string, string> = {}) => ({
  name,
  namespace: "kcp-system",
  creationTimestamp: created,
  labels,
});
const kymaWith = (status: Kyma["status"], more: Partial<Kyma> = {}): Kyma => ({
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Kyma",
  metadata: metadata("one"),
  spec: { channel: "regular", modules: [{ name: "istio" }, { name: "serverless" }] },
  ...(status === undefined ? {} : { status }),
  ...more,
});
const module = (more: Partial<ModuleStatus>): ModuleStatus => ({
  name: "istio",
  state: "Ready",
  channel: "fast",
  version: "1.2.0",
  manifest: { metadata: { name: "one-istio", namespace: "kcp-system" } },
  ...more,
});
const labels = { "operator.kyma-project.io/kyma-name": "one", "operator.kyma-project.io/module-name": "istio" };
const manifest = {
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Manifest",
  metadata: metadata("one-istio", labels),
  spec: { remote: false, version: "1.2.0", install: { name: "raw", source: {} } },
  status: { state: "Error", lastOperation: { operation: "no such layer" } },
} as Manifest;
const runtime = {
  kind: "Runtime",
  metadata: metadata("r", { "operator.kyma-project.io/kyma-name": "one" }),
  spec: { shoot: { region: "eu-central-1", provider: { type: "aws", workers: [] } } },
  status: { state: "Failed", conditions: [{ type: "Provisioned", status: "False", message: "no\nquota" }] },
} as unknown as Runtime;

/** Rows with their texts. */
const rows = (sources: Sources, kind: FleetKind): readonly FleetRow[] =>
  rowsOf(sources, kind).map(({ name, kyma, state, created: since, details, blocker }) => {
    return { name, kyma, state, created: since, details, blocker };
  });

describe("the rows of the fleet", () => {
  test("of a Runtime tell where it is, and what is wrong", () => {
    deepEqual(rows({ runtimes: informer(runtime) }, "runtimes"), [
      {
        name: "r",
        kyma: "one",
        state: "Failed",
        created,
        details: "aws · eu-central-1",
        blocker: "Provisioned: no quota",
      },
    ]);
  });

  test("of a Kyma count its modules, also those it does not report yet", () => {
    const kymas = informer(
      kymaWith({ state: "Processing", activeChannel: "fast", modules: [module({})] }),
      kymaWith(undefined),
    );
    deepEqual(
      rows({ kymas }, "kymas").map(({ state, details }) => [state, details]),
      [
        ["Processing", "fast · 1 of 2 modules ready"],
        ["Pending", "regular · 0 of 2 modules ready"],
      ],
    );
  });

  test("of a Kyma in deletion say so", () => {
    const leaving = kymaWith({ state: "Ready" });
    leaving.metadata.deletionTimestamp = created;
    equal(rows({ kymas: informer(leaving) }, "kymas")[0]?.state, "Deleting");
  });

  test("of a module have the age of its Manifest, and its reason where the module has none", () => {
    const modules = [
      module({ state: "Error" }),
      module({ state: "Error", message: "refused" }),
      module({ maintenance: true }),
    ];
    const sources = { kymas: informer(kymaWith({ modules })), manifests: informer(manifest) };
    deepEqual(
      rows(sources, "modules").map(({ created: since, details, blocker }) => [since, details, blocker]),
      [
        [created, "fast · 1.2.0", "no such layer"],
        [created, "fast · 1.2.0", "refused"],
        [created, "fast · 1.2.0 · waits for a maintenance window", ""],
      ],
    );
    deepEqual(rows({ kymas: sources.kymas }, "modules")[0]?.created, "");
  });

  test("of a Manifest name its module", () => {
    deepEqual(rows({ manifests: informer(manifest) }, "manifests"), [
      { name: "one-istio", kyma: "one", state: "Error", created, details: "istio · 1.2.0", blocker: "no such layer" },
    ]);
  });

  test("are there for objects without a spec, which no CRD requires", () => {
    const withoutSpec = <T extends KubeObject>(object: T): T => {
      const { spec: _, ...rest } = object as T & { readonly spec: unknown };
      return rest as unknown as T;
    };
    const sources: Sources = {
      runtimes: informer(withoutSpec(runtime)),
      kymas: informer(withoutSpec(kymaWith(undefined))),
      manifests: informer(withoutSpec(manifest)),
    };
    const detailsOf = (kind: FleetKind) => rows(sources, kind).map(({ details }) => details);
    deepEqual(
      [detailsOf("runtimes"), detailsOf("kymas"), detailsOf("manifests")],
      [[""], ["regular · no modules"], ["istio"]],
    );
    const half = { ...runtime, spec: { shoot: { region: "eu-central-1" } } } as unknown as Runtime;
    equal(rows({ runtimes: informer(half) }, "runtimes")[0]?.details, "eu-central-1");
  });

  test("are as many as the states that are counted", () => {
    const modules = [module({}), module({ state: "" })];
    const sources: Sources = { kymas: informer(kymaWith({ modules })), manifests: informer(manifest) };
    deepEqual(watchedKinds(sources), ["kymas", "modules", "manifests"]);
    for (const kind of watchedKinds(sources)) {
      deepEqual(
        statesOf(sources, kind),
        rows(sources, kind).map(({ state }) => state),
      );
    }
    deepEqual(statesOf(sources, "modules"), ["Ready", "Pending"]);
  });
});
