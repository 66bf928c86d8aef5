import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { apiVersion } from "../../apis/operator/group.ts";
import type { Kyma, KymaModule, KymaStatus, ModuleStatus } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { catalogOf } from "./catalog.ts";
import { checkAvailable, withModule, withoutModule } from "./edit.ts";
import { listModules } from "./list.ts";
import { kymaProgress, moduleProgress } from "./progress.ts";

const kyma = (modules: readonly KymaModule[], status?: KymaStatus): Kyma => ({
  apiVersion,
  kind: "Kyma",
  metadata: { name: "demo", namespace: "kcp-system", generation: 2 },
  spec: { channel: "regular", modules },
  ...(status === undefined ? {} : { status }),
});
const release = (name: string, channels: Record<string, string>): ModuleReleaseMeta => ({
  apiVersion,
  kind: "ModuleReleaseMeta",
  metadata: { name, namespace: "kcp-system" },
  spec: { moduleName: name, channels: Object.entries(channels).map(([channel, version]) => ({ channel, version })) },
});
const seen = (observedGeneration: number) => [
  {
    type: "Modules",
    status: "True" as const,
    reason: "Ready",
    message: "",
    observedGeneration,
    lastTransitionTime: "",
  },
];

describe("enable", () => {
  const releases = [release("greeter", { regular: "1.0.0", fast: "1.1.0" }), release("metering", { fast: "2.0.0" })];

  test("takes a module of the Kyma's channel or of its own", () => {
    checkAvailable({ name: "greeter" }, kyma([]), releases);
    checkAvailable({ name: "metering", channel: "fast" }, kyma([]), releases);
  });
  test("names the channels of a module that is not in the wanted one", () => {
    throws(
      () => checkAvailable({ name: "metering" }, kyma([]), releases),
      /"metering" is not in channel "regular": it is in fast/,
    );
  });
  test("names the nearest module for a mistyped one, all of them otherwise", () => {
    throws(() => checkAvailable({ name: "greetr" }, kyma([]), releases), /did you mean "greeter"/);
    throws(() => checkAvailable({ name: "zzz" }, kyma([]), releases), /known are greeter, metering/);
  });
  test("adds a module at the end", () => {
    deepEqual(withModule(kyma([{ name: "a" }]), { name: "b", channel: "fast" }), [
      { name: "a" },
      { name: "b", channel: "fast" },
    ]);
  });
  test("replaces channel and policy and keeps the rest and the order", () => {
    const before = kyma([{ name: "a", channel: "fast", controller: "c" }, { name: "b" }]);
    deepEqual(withModule(before, { name: "a", policy: "Ignore" }), [
      { name: "a", controller: "c", customResourcePolicy: "Ignore" },
      { name: "b" },
    ]);
  });
  test("answers the same list when nothing changes", () => {
    const before = kyma([{ name: "a", channel: "fast" }]);
    equal(withModule(before, { name: "a", channel: "fast" }), before.spec.modules);
  });
});

describe("disable", () => {
  test("removes the entry", () => deepEqual(withoutModule(kyma([{ name: "a" }, { name: "b" }]), "a"), [{ name: "b" }]));
  test("names what is enabled when the module is not", () => {
    throws(
      () => withoutModule(kyma([{ name: "a" }]), "b"),
      /"b" is not enabled in Kyma kcp-system\/demo: enabled are a/,
    );
  });
});

describe("progress", () => {
  const goal = { end: "installed", releases: [] } as const;
  const one = (state: ModuleStatus["state"], generation = 2) =>
    kyma([{ name: "a" }], {
      state: "Ready",
      modules: [{ name: "a", state, version: "1.0.0" }],
      conditions: seen(generation),
      lastOperation: { operation: "x", lastUpdateTime: "" },
    });

  test("Ready and Warning end the wait", () => {
    deepEqual(moduleProgress(one("Ready"), "a", goal), { kind: "done", state: "Ready" });
    deepEqual(moduleProgress(one("Warning"), "a", goal), { kind: "done", state: "Warning", reason: "a: Warning" });
  });
  test("a status of an older generation counts for nothing", () => {
    equal(moduleProgress(one("Ready", 1), "a", goal).kind, "waiting");
    equal(kymaProgress(one("Ready", 1), []).kind, "waiting");
  });
  test("a module left alone is done when Unmanaged", () => {
    equal(moduleProgress(one("Unmanaged"), "a", { ...goal, end: "unmanaged" }).kind, "done");
    equal(moduleProgress(one("Ready"), "a", { ...goal, end: "unmanaged" }).kind, "waiting");
  });
  test("a module that is Ready in its former version is not done, and says which runs", () => {
    const upgrading = { ...goal, releases: [release("a", { regular: "1.1.0" })] };
    const reason = "a: 1.0.0 runs, 1.1.0 is released";
    deepEqual(moduleProgress(one("Ready"), "a", upgrading), { kind: "waiting", reason });
    deepEqual(kymaProgress(one("Ready"), upgrading.releases), { kind: "waiting", reason });
    equal(kymaProgress(one("Ready"), [release("a", { fast: "1.1.0", regular: "1.0.0" })]).kind, "done");
  });
  test("the whole Kyma waits until each module has a status", () => {
    deepEqual(kymaProgress(one("Ready"), []), { kind: "done", state: "Ready" });
    equal(kymaProgress(kyma([{ name: "a" }, { name: "b" }], one("Ready").status), []).kind, "waiting");
  });
});

test("the list joins spec and status, so that a module in removal is still seen", () => {
  const listed = listModules(
    kyma([{ name: "b", managed: false }], {
      modules: [{ name: "a", state: "Deleting", version: "1.0.0", channel: "fast" }],
    }),
  );
  deepEqual(
    listed.map(({ name, status, managed, version }) => [name, status, managed, version]),
    [
      ["a", "Deleting", true, "1.0.0"],
      ["b", "Pending", false, ""],
    ],
  );
});

test("the catalogue is sorted and leaves mandatory modules out", () => {
  const mandatory: ModuleReleaseMeta = {
    ...release("m", {}),
    spec: { moduleName: "m", mandatory: { version: "1.0.0" } },
  };
  deepEqual(
    catalogOf([release("b", { fast: "1.0.0" }), mandatory, release("a", { fast: "2.0.0" })]).map(({ name }) => name),
    ["a", "b"],
  );
});
