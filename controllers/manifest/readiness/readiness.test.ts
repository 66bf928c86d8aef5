import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { refOf } from "../inventory/identity.ts";
import { firstCulprit, readinessOf, stateReadiness, takesTime } from "./readiness.ts";

const object = (apiVersion: string, kind: string, fields: Record<string, unknown> = {}): AnyObject => ({
  apiVersion,
  kind,
  metadata: { name: "x", namespace: "kyma-system", generation: 2 },
  ...fields,
});
const condition = (type: string, status: string, reason = ""): Record<string, string> => ({ type, status, reason });
const withConditions = (apiVersion: string, kind: string, ...conditions: unknown[]): AnyObject =>
  object(apiVersion, kind, { status: { conditions } });

const progress = (reason: string): Record<string, string> => condition("Progressing", "True", reason);
const available = condition("Available", "True", "MinimumReplicasAvailable");

describe("readinessOf", () => {
  const cases: readonly [name: string, object: AnyObject, state: string][] = [
    [
      "an available Deployment",
      withConditions("apps/v1", "Deployment", progress("NewReplicaSetAvailable"), available),
      "ready",
    ],
    [
      "a Deployment that rolls out",
      withConditions("apps/v1", "Deployment", progress("ReplicaSetUpdated"), available),
      "progressing",
    ],
    ["a Deployment nobody looked at yet (M8)", object("apps/v1", "Deployment"), "progressing"],
    [
      "a Deployment past its deadline",
      withConditions("apps/v1", "Deployment", condition("Progressing", "False", "ProgressDeadlineExceeded")),
      "failed",
    ],
    [
      "a Deployment whose conditions speak of the former generation",
      object("apps/v1", "Deployment", {
        status: { observedGeneration: 1, conditions: [progress("NewReplicaSetAvailable"), available] },
      }),
      "progressing",
    ],
    [
      "a complete StatefulSet",
      object("apps/v1", "StatefulSet", { spec: { replicas: 2 }, status: { readyReplicas: 2 } }),
      "ready",
    ],
    [
      "an incomplete StatefulSet",
      object("apps/v1", "StatefulSet", { spec: { replicas: 2 }, status: { readyReplicas: 1 } }),
      "progressing",
    ],
    [
      "a complete DaemonSet",
      object("apps/v1", "DaemonSet", {
        status: { desiredNumberScheduled: 3, numberReady: 3, updatedNumberScheduled: 3 },
      }),
      "ready",
    ],
    ["a DaemonSet nobody looked at yet", object("apps/v1", "DaemonSet"), "progressing"],
    ["a complete Job", withConditions("batch/v1", "Job", condition("Complete", "True")), "ready"],
    ["a failed Job", withConditions("batch/v1", "Job", condition("Failed", "True", "BackoffLimitExceeded")), "failed"],
    ["a bound claim", object("v1", "PersistentVolumeClaim", { status: { phase: "Bound" } }), "ready"],
    ["a pending claim", object("v1", "PersistentVolumeClaim", { status: { phase: "Pending" } }), "progressing"],
    ["a lost claim", object("v1", "PersistentVolumeClaim", { status: { phase: "Lost" } }), "failed"],
    [
      "an established CRD",
      withConditions("apiextensions.k8s.io/v1", "CustomResourceDefinition", condition("Established", "True")),
      "ready",
    ],
    [
      "a CRD whose names are taken",
      withConditions(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        condition("NamesAccepted", "False", "PluralConflict"),
      ),
      "failed",
    ],
    ["an available APIService", withConditions("apiregistration.k8s.io/v1", "APIService", available), "ready"],
    [
      "an APIService without endpoints",
      withConditions("apiregistration.k8s.io/v1", "APIService", condition("Available", "False")),
      "progressing",
    ],
    ["a running Pod that is not ready", object("v1", "Pod", { status: { phase: "Running" } }), "progressing"],
    ["anything else", object("v1", "ConfigMap"), "ready"],
  ];

  for (const [name, given, state] of cases) {
    test(`${name} is ${state}`, () => equal(readinessOf(given).state, state));
  }

  test("a StatefulSet whose first container never started has failed (U067)", () => {
    const set = object("apps/v1", "StatefulSet", { spec: { replicas: 1, selector: { matchLabels: { app: "x" } } } });
    const waiting = { name: "c", ready: false, started: false, state: { waiting: { reason: "ImagePullBackOff" } } };
    const pod = {
      ...object("v1", "Pod", { status: { containerStatuses: [waiting] } }),
      metadata: { name: "x-0", namespace: "kyma-system", labels: { app: "x" } },
    };

    equal(readinessOf(set, { pods: [pod] }).state, "failed");
  });
});

test("only kinds that take time are looked at again", () => {
  deepEqual(
    ["Deployment", "ReplicaSet"].map((kind) => takesTime({ group: "apps", kind })),
    [true, false],
  );
});

describe("firstCulprit", () => {
  const waiting = object("apps/v1", "Deployment");
  const broken = withConditions("batch/v1", "Job", condition("Failed", "True", "BackoffLimitExceeded"));
  const results = (...objects: AnyObject[]) =>
    objects.map((entry) => ({ ref: refOf(entry), readiness: readinessOf(entry) }));

  test("names a failure before anything in progress and counts the rest", () => {
    deepEqual(firstCulprit(results(waiting, broken)), {
      state: "failed",
      text: "Job kyma-system/x: Failed is True, BackoffLimitExceeded (and 1 more)",
    });
  });

  test("finds nobody when all are ready", () => {
    equal(firstCulprit(results(object("v1", "ConfigMap"))), undefined);
  });
});

test("a module CR is ready when its state says so", () => {
  const lamp = (state?: string) => object("example.org/v1", "Lamp", state === undefined ? {} : { status: { state } });

  deepEqual(
    [lamp("Ready"), lamp("Processing"), lamp("Error"), lamp()].map((entry) => stateReadiness(entry).state),
    ["ready", "progressing", "failed", "progressing"],
  );
});
