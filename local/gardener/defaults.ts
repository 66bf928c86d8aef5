import type { JsonObject } from "@kyma-operators/gardener";
import { isEmpty, listAt, valueAt } from "./validation/json.ts";

/** Fills a field at a path when it is absent, copying the objects on the way. */
function fill(object: unknown, path: readonly string[], value: unknown): JsonObject {
  const [key = "", ...rest] = path;
  const own = (object ?? {}) as JsonObject;
  if (rest.length === 0) return own[key] === undefined ? { ...own, [key]: value } : own;
  return { ...own, [key]: fill(own[key], rest, value) };
}

const general: readonly (readonly [string, unknown])[] = [
  ["purpose", "evaluation"],
  ["schedulerName", "default-scheduler"],
  ["addons.kubernetesDashboard.enabled", false],
  ["addons.kubernetesDashboard.authenticationMode", "token"],
  ["maintenance.autoUpdate.kubernetesVersion", true],
  ["networking.ipFamilies", ["IPv4"]],
  ["kubernetes.kubeAPIServer.requests.maxNonMutatingInflight", 400],
  ["kubernetes.kubeAPIServer.requests.maxMutatingInflight", 200],
  ["kubernetes.kubeAPIServer.enableAnonymousAuthentication", false],
  ["kubernetes.kubeAPIServer.eventTTL", "1h0m0s"],
  ["kubernetes.kubeAPIServer.logging.verbosity", 2],
  ["kubernetes.kubeAPIServer.defaultNotReadyTolerationSeconds", 300],
  ["kubernetes.kubeAPIServer.defaultUnreachableTolerationSeconds", 300],
  ["kubernetes.kubeControllerManager.nodeMonitorGracePeriod", "40s"],
  ["kubernetes.kubeScheduler.profile", "balanced"],
];

/** Only for Shoots with workers. */
const withWorkers: readonly (readonly [string, unknown])[] = [
  ["maintenance.autoUpdate.machineImageVersion", true],
  ["kubernetes.kubeProxy.mode", "IPTables"],
  ["kubernetes.kubeProxy.enabled", true],
  ["kubernetes.kubelet.failSwapOn", true],
  ["kubernetes.kubelet.imageGCHighThresholdPercent", 50],
  ["kubernetes.kubelet.imageGCLowThresholdPercent", 40],
  ["kubernetes.kubelet.serializeImagePulls", true],
  ["provider.workersSettings.sshAccess.enabled", true],
  ["systemComponents.coreDNS.autoscaling.mode", "horizontal"],
];

const perWorker: readonly (readonly [string, unknown])[] = [
  ["cri.name", "containerd"],
  ["machine.architecture", "amd64"],
  ["maxSurge", 1],
  ["maxUnavailable", 0],
  ["systemComponents.allow", true],
  ["updateStrategy", "AutoRollingUpdate"],
];

function fillAll(object: unknown, defaults: readonly (readonly [string, unknown])[]): JsonObject {
  return defaults.reduce<JsonObject>((next, [path, value]) => fill(next, path.split("."), value), object as JsonObject);
}

/** A window of one hour, chosen by the Shoot's name so that the fleet spreads over the day. */
function windowFor(name: string): JsonObject {
  const hour = new TextEncoder().encode(name).reduce((sum, byte) => (sum * 31 + byte) % 24, 0);
  const time = (value: number): string => `${String(value % 24).padStart(2, "0")}0000+0000`;
  return { begin: time(hour), end: time(hour + 1) };
}

/** The Shoot with what Gardener fills in when it is written. */
export function withDefaults(shoot: JsonObject): JsonObject {
  const spec = fillAll(valueAt(shoot, "spec"), general);
  const name = String(valueAt(shoot, "metadata", "name"));
  const encryption = ["kubernetes", "kubeAPIServer", "encryptionConfig"];
  const encrypted =
    valueAt(spec, ...encryption) === undefined ? spec : fill(spec, [...encryption, "provider", "type"], "aescbc");
  const windowed = fill(encrypted, ["maintenance", "timeWindow"], windowFor(name));
  const workers = listAt(windowed, "provider", "workers");
  if (workers.length === 0) return { ...shoot, spec: windowed };
  const full = fillAll(windowed, [...withWorkers, maskDefault(windowed)]);
  const pools = workers.map((worker) => fillAll(worker, perWorker));
  return { ...shoot, spec: { ...full, provider: { ...(full["provider"] as JsonObject), workers: pools } } };
}

/** Bits of the node network that one node's pods get: room for 110 pods. */
function maskDefault(spec: JsonObject): readonly [string, unknown] {
  const [family] = listAt(spec, "networking", "ipFamilies");
  return ["kubernetes.kubeControllerManager.nodeCIDRMaskSize", family === "IPv6" ? 64 : 24];
}

/** The version with all three numbers: the newest one of the catalogue that starts with what was asked for. */
export function completeVersion(
  wanted: string,
  offered: readonly string[],
  compare: (a: string, b: string) => number,
): string {
  if (isEmpty(wanted) || wanted.split(".").length > 2) return wanted;
  const [best] = offered.filter((version) => version.startsWith(`${wanted}.`)).toSorted((a, b) => compare(b, a));
  return best ?? wanted;
}
