import type { AnyObject } from "@kyma-operators/kube";
import type { ModuleStatus } from "../apis/operator/kyma.ts";
import { names } from "../apis/operator/names.ts";
import { kymaObject } from "./lifecycle-world.ts";
import { manifestObject } from "./manifest-world.ts";
import { runtimeObject } from "./runtime-sample.ts";

const namespace = names.controlPlaneNamespace;
const dayMs = 86_400_000;

/** Objects that were created together. */
export interface SampleGroup {
  readonly daysOld: number;
  readonly objects: readonly AnyObject[];
}

/** One customer's cluster as a sample describes it. */
interface SampleKyma {
  readonly name: string;
  readonly daysOld: number;
  readonly state: string;
  /** State and message by module. */
  readonly modules: Readonly<Record<string, readonly [state: string, message?: string]>>;
  readonly operation: string;
  readonly runtime?: readonly [state: string, message: string];
}

const ready = ["Ready"] as const;

const samples: readonly SampleKyma[] = [
  {
    name: "billing-eu-prod",
    daysOld: 21,
    state: "Error",
    modules: {
      istio: ready,
      serverless: [
        "Error",
        "layer sha256:5f2b…c41a: the registry answered 403: no imagePullSecret matches registry.example.com",
      ],
      telemetry: ready,
    },
    operation: "serverless is in Error",
  },
  {
    name: "checkout-us-prod",
    daysOld: 18,
    state: "Warning",
    modules: { istio: ready, eventing: ["Warning", "no backend is configured; events are kept for 24 hours"] },
    operation: "eventing is in Warning",
  },
  {
    name: "data-platform-stage",
    daysOld: 0.01,
    state: "Processing",
    modules: {
      istio: ready,
      telemetry: ["Processing", "Deployment kyma-system/telemetry-manager has 0 of 1 replicas available"],
    },
    operation: "waiting for all modules to become ready",
  },
  {
    name: "identity-eu-prod",
    daysOld: 14,
    state: "Ready",
    modules: { istio: ready, "api-gateway": ready },
    operation: "kyma is ready",
  },
  {
    name: "inventory-ap-prod",
    daysOld: 9,
    state: "Ready",
    modules: { istio: ready, serverless: ready, telemetry: ready, eventing: ready },
    operation: "kyma is ready",
  },
  {
    name: "reporting-eu-dev",
    daysOld: 0.02,
    state: "Processing",
    modules: {},
    operation: "waiting for the access Secret of the cluster",
    runtime: ["Pending", "Shoot is in state Create Processing, 62 %"],
  },
  {
    name: "search-us-stage",
    daysOld: 5,
    state: "Ready",
    modules: { istio: ready, telemetry: ready },
    operation: "kyma is ready",
  },
];

/** A small fleet in every state, the oldest first. */
export function sampleFleet(): readonly SampleGroup[] {
  return samples
    .toSorted((a, b) => b.daysOld - a.daysOld)
    .map((sample, index) => ({
      daysOld: sample.daysOld,
      objects: [
        sampleRuntime(sample, index + 1),
        ...sampleManifests(sample),
        sampleKyma(sample),
        ...sampleEvents(sample),
      ],
    }));
}

function sampleKyma({ name, daysOld, state, modules, operation }: SampleKyma): AnyObject {
  const since = timeOf(daysOld * 0.9);
  const statuses = Object.entries(modules).map(([module, [moduleState, message = ""]]) => ({
    name: module,
    state: moduleState as ModuleStatus["state"],
    channel: "regular",
    version: "1.4.2",
    message,
    manifest: { metadata: { name: `${name}-${module}`, namespace } },
  }));
  const fine = statuses.every((module) => module.state === "Ready") && state === "Ready";
  return {
    ...kymaObject(name, { channel: "regular", modules: Object.keys(modules).map((module) => ({ name: module })) }),
    status: {
      state,
      activeChannel: "regular",
      modules: statuses,
      conditions: [
        condition("CRDsSync", "True", "CRDs are synchronized to the SKR", since),
        condition("ModuleCatalog", "True", "module templates are synchronized", since),
        fine
          ? condition("Modules", "True", "all modules are in ready state", since)
          : condition("Modules", "False", "not all modules are in ready state", timeOf(Math.min(daysOld, 0.004))),
      ],
      lastOperation: { operation, lastUpdateTime: since },
    },
  };
}

function sampleManifests({ name, modules }: SampleKyma): readonly AnyObject[] {
  return Object.entries(modules).map(([module, [state, message]]) => {
    const labels = { "operator.kyma-project.io/kyma-name": name, "operator.kyma-project.io/module-name": module };
    const operation = message ?? "installation is ready and resources can be used";
    return {
      ...manifestObject("sha256:0", { version: "1.4.2" }, { name: `${name}-${module}`, labels }),
      status: { state, lastOperation: { operation, lastUpdateTime: timeOf(0) } },
    };
  });
}

function sampleRuntime({ name, daysOld, runtime }: SampleKyma, id: number): AnyObject {
  const [state, message] = runtime ?? ["Ready", "Runtime is ready"];
  const status = state === "Ready" ? "True" : "Unknown";
  return {
    ...runtimeObject({ id: String(id), labels: { "operator.kyma-project.io/kyma-name": name } }),
    status: { state, conditions: [condition("Provisioned", status, message, timeOf(daysOld * 0.99))] },
  };
}

function sampleEvents({ name, modules }: SampleKyma): readonly AnyObject[] {
  return Object.entries(modules).flatMap(([module, [state, message]]) =>
    message === undefined
      ? []
      : [
          {
            apiVersion: "v1",
            kind: "Event",
            metadata: { name: `${name}-${module}.1`, namespace },
            involvedObject: {
              apiVersion: "operator.kyma-project.io/v1beta2",
              kind: "Manifest",
              namespace,
              name: `${name}-${module}`,
            },
            type: state === "Processing" ? "Normal" : "Warning",
            reason: state === "Processing" ? "InstallationPending" : "ModuleFailed",
            message,
            action: "Reconcile",
            reportingComponent: "kyma-operators",
            reportingInstance: "kyma-operator-0",
            eventTime: microTimeOf(0.003),
            series: { count: 4, lastObservedTime: microTimeOf(0.001) },
          },
        ],
  );
}

function condition(type: string, status: string, message: string, lastTransitionTime: string): object {
  return { type, status, reason: status === "True" ? "Ready" : "Processing", message, lastTransitionTime };
}

function timeOf(daysAgo: number): string {
  return `${new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 19)}Z`;
}

const microTimeOf = (daysAgo: number): string => timeOf(daysAgo).replace("Z", ".000000Z");
