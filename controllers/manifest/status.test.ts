import { deepEqual, equal, notEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Manifest, ManifestStatus } from "../../apis/operator/manifest.ts";
import {
  enterState,
  foreignFinalizersOperation,
  initializeStatus,
  isSameStatus,
  markTrue,
  operations,
  stampOperation,
  withExtraCondition,
  withOperation,
} from "./status.ts";

const early = "2026-01-01T00:00:00Z";
const late = "2026-01-01T01:00:00Z";

const manifest = (status?: ManifestStatus, resource = true): Manifest => ({
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Manifest",
  metadata: { name: "keda", namespace: "kcp-system", generation: 3 },
  spec: {
    remote: false,
    install: { name: "raw-manifest", source: {} },
    ...(resource ? { resource: { apiVersion: "example.org/v1", kind: "Keda", metadata: { name: "default" } } } : {}),
  },
  ...(status === undefined ? {} : { status }),
});

const types = (status: ManifestStatus): string[] =>
  (status.conditions ?? []).map(({ type, status: value }) => `${type}=${value}`);

describe("initializeStatus", () => {
  test("gives a new Manifest its conditions and the state Processing", () => {
    const status = initializeStatus(manifest(), early);

    deepEqual(types(status), ["Resources=False", "Installation=False", "ModuleCR=False"]);
    equal(status.state, "Processing");
    equal(status.lastOperation?.operation, operations.emptyState);
    equal(status.conditions?.[0]?.observedGeneration, 3);
  });

  test("leaves out the module CR condition when there is no module CR to create", () => {
    deepEqual(types(initializeStatus(manifest(undefined, false), early)), ["Resources=False", "Installation=False"]);
  });

  test("returns the same object when nothing is missing", () => {
    const status = initializeStatus(manifest(), early);

    equal(initializeStatus(manifest(status), late), status);
  });
});

describe("markTrue", () => {
  test("moves the transition time with the status (M1)", () => {
    const status = markTrue(initializeStatus(manifest(), early), "Resources", late);

    equal(status.conditions?.[0]?.lastTransitionTime, late);
    equal(status.lastOperation?.operation, "resources are parsed and ready for use");
  });

  test("changes nothing when the condition is missing or already True", () => {
    const status = markTrue(initializeStatus(manifest(), early), "Resources", late);

    equal(markTrue(status, "Resources", late), status);
    const bare: ManifestStatus = { state: "Processing" };
    equal(markTrue(bare, "Installation", late), bare);
  });
});

describe("enterState", () => {
  test("completes the installation when it enters Ready", () => {
    const status = enterState(initializeStatus(manifest(), early), "Ready", late);

    deepEqual(types(status), ["Resources=False", "Installation=True", "ModuleCR=False"]);
    equal(status.lastOperation?.operation, "resources are ready");
  });

  test("says that resources are going away when it enters Deleting, and leaves the conditions (M13)", () => {
    const status = enterState(initializeStatus(manifest(), early), "Deleting", late);

    deepEqual(types(status), ["Resources=False", "Installation=False", "ModuleCR=False"]);
    equal(status.lastOperation?.operation, operations.deleting);
  });

  test("keeps an error's text when the state stays", () => {
    const status = withOperation({ state: "Processing" }, "Error", "registry is down");

    equal(enterState(status, "Error", late).lastOperation?.operation, "registry is down");
  });
});

describe("stampOperation", () => {
  const stored: ManifestStatus = {
    state: "Ready",
    lastOperation: { operation: "resources are ready", lastUpdateTime: early },
  };

  test("keeps the time while state and text stay", () => {
    equal(
      isSameStatus(stored, stampOperation(stored, withOperation(stored, "Ready", "resources are ready"), late)),
      true,
    );
  });

  test("moves the time with the text", () => {
    const next = stampOperation(stored, withOperation(stored, "Ready", "something else"), late);

    equal(next.lastOperation?.lastUpdateTime, late);
    equal(isSameStatus(stored, next), false);
  });
});

describe("withExtraCondition", () => {
  const conflict = { status: "True", reason: "FieldsTakenOver", message: "2 fields" } as const;

  test("adds, updates without moving the time, and removes", () => {
    const added = withExtraCondition({ state: "Ready" }, "Adoption", conflict, early);
    const updated = withExtraCondition(added, "Adoption", { ...conflict, message: "3 fields" }, late);

    equal(updated.conditions?.[0]?.lastTransitionTime, early);
    equal(updated.conditions?.[0]?.message, "3 fields");
    deepEqual(withExtraCondition(updated, "Adoption", undefined, late).conditions, []);
  });

  test("returns the same object when there is nothing to remove", () => {
    const status: ManifestStatus = { state: "Ready" };

    equal(withExtraCondition(status, "Adoption", undefined, late), status);
    notEqual(withExtraCondition(status, "Adoption", conflict, late), status);
  });
});

test("foreign finalizers are named as upstream names them (E069)", () => {
  equal(foreignFinalizersOperation(["a/b", "c"]), "waiting as other finalizers are present: [a/b c]");
});
