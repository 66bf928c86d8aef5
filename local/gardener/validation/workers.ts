import type { JsonObject } from "@kyma-operators/gardener";
import { entriesAt, isEmpty, listAt, numberAt, textAt, valueAt } from "./json.ts";
import { dnsLabel, qualifiedName } from "./names.ts";
import type { Problems } from "./problems.ts";

const nameLimit = 15;
const strategies = ["AutoInPlaceUpdate", "AutoRollingUpdate", "ManualInPlaceUpdate"];

/** Worker pools of a Shoot that has some. */
export function validateWorkers(spec: unknown, problems: Problems): void {
  const workers = entriesAt(spec, "provider", "workers");
  for (const [index, worker] of workers) {
    const field = `spec.provider.workers[${index}]`;
    validateName(worker, field, problems);
    validateSize(worker, field, problems);
    validateMachine(worker, field, problems);
    validateVolumes(worker, field, problems);
    validateKeys(worker, field, problems);
    validateNode(worker, field, problems);
  }
  problems.unique(
    "spec.provider.workers",
    "name",
    workers.map(([, { name }]) => name),
  );
  if (!workers.some(([, worker]) => runsSystemComponents(worker) && numberAt(worker, "maximum") !== 0)) {
    problems.forbidden(
      "spec.provider.workers",
      "at least one active (workers[i].maximum > 0) worker pool with systemComponents.allow=true needed",
    );
  }
}

function runsSystemComponents(worker: JsonObject): boolean {
  return valueAt(worker, "systemComponents", "allow") !== false;
}

function validateName(worker: JsonObject, field: string, problems: Problems): void {
  const name = textAt(worker, "name");
  if (name.includes(".")) problems.invalid(`${field}.name`, name, "must not contain dots");
  else if (!dnsLabel.rule.test(name)) problems.invalid(`${field}.name`, name, dnsLabel.text);
  if (name.length > nameLimit) problems.tooLong(`${field}.name`, nameLimit);
}

function validateSize(worker: JsonObject, field: string, problems: Problems): void {
  validateRange(worker, field, problems);
  const surge = validateShare(worker["maxSurge"], `${field}.maxSurge`, problems);
  const unavailable = validateShare(worker["maxUnavailable"], `${field}.maxUnavailable`, problems);
  if (surge === 0 && unavailable === 0) {
    problems.invalid(`${field}.maxUnavailable`, worker["maxUnavailable"], "may not be 0 when `maxSurge` is 0");
  }
}

function validateRange(worker: JsonObject, field: string, problems: Problems): void {
  const [minimum, maximum] = [numberAt(worker, "minimum") ?? 0, numberAt(worker, "maximum") ?? 0];
  if (minimum < 0) problems.invalid(`${field}.minimum`, minimum, "minimum value must not be negative");
  if (maximum < 0) problems.invalid(`${field}.maximum`, maximum, "maximum value must not be negative");
  if (maximum < minimum) problems.forbidden(`${field}.maximum`, "maximum value must not be less than minimum value");
  const zones = listAt(worker, "zones").length;
  if (maximum > 0 && maximum < zones && runsSystemComponents(worker)) {
    const detail = "maximum must be greater than or equal to the number of zones of a pool that runs system components";
    problems.invalid(`${field}.maximum`, maximum, detail);
  }
}

/** A number or a percentage as a number; what can't be read counts as 0. */
function validateShare(value: unknown, field: string, problems: Problems): number | undefined {
  if (typeof value === "number") {
    if (value < 0) problems.invalid(field, value, "must be greater than or equal to 0");
    return value;
  }
  if (typeof value !== "string") return undefined;
  const [, percent] = /^(\d+)%$/.exec(value) ?? [];
  if (percent === undefined) problems.invalid(field, value, "must be an integer or percentage (e.g '5%')");
  else if (Number(percent) > 100) problems.invalid(field, value, "must not be greater than 100%");
  return Number(percent ?? 0);
}

function validateMachine(worker: JsonObject, field: string, problems: Problems): void {
  const image = valueAt(worker, "machine", "image");
  if (textAt(worker, "machine", "type") === "")
    problems.required(`${field}.machine.type`, "must specify a machine type");
  if (image !== undefined) {
    if (textAt(image, "name") === "")
      problems.required(`${field}.machine.image.name`, "must specify a machine image name");
    if (textAt(image, "version") === "") {
      problems.required(`${field}.machine.image.version`, "must specify a machine image version");
    }
  }
  problems.oneOf(`${field}.machine.architecture`, valueAt(worker, "machine", "architecture"), ["amd64", "arm64"]);
}

function validateVolumes(worker: JsonObject, field: string, problems: Problems): void {
  const volumes = entriesAt(worker, "dataVolumes");
  const sized = worker["volume"] === undefined ? [] : [[`${field}.volume`, valueAt(worker, "volume")] as const];
  for (const [path, volume] of [
    ...sized,
    ...volumes.map(([i, each]) => [`${field}.dataVolumes[${i}]`, each] as const),
  ]) {
    const size = textAt(volume, "size");
    if (!/^\d+Gi$/.test(size)) problems.invalid(`${path}.size`, size, "volume size must match the regex ^(\\d)+Gi$");
  }
  for (const [index, { name }] of volumes) {
    if (!dnsLabel.rule.test(String(name))) problems.invalid(`${field}.dataVolumes[${index}].name`, name, dnsLabel.text);
  }
  problems.unique(
    `${field}.dataVolumes`,
    "name",
    volumes.map(([, { name }]) => name),
  );
  const chosen = textAt(worker, "kubeletDataVolumeName");
  if (chosen !== "" && !volumes.some(([, { name }]) => name === chosen)) {
    const detail = `KubeletDataVolumeName refers to unrecognized data volume ${chosen}`;
    problems.invalid(`${field}.kubeletDataVolumeName`, chosen, detail);
  }
}

function validateKeys(worker: JsonObject, field: string, problems: Problems): void {
  for (const key of Object.keys(worker["annotations"] ?? {})) {
    if (!qualifiedName.rule.test(key)) problems.invalid(`${field}.annotations`, key, qualifiedName.text);
  }
  const seen = new Set<string>();
  for (const [index, { key, effect }] of entriesAt(worker, "taints")) {
    const path = `${field}.taints[${index}]`;
    if (!qualifiedName.rule.test(String(key))) problems.invalid(`${path}.key`, key, qualifiedName.text);
    if (isEmpty(effect)) problems.required(`${path}.effect`);
    const pair = `${String(key)}:${String(effect)}`;
    if (seen.has(pair)) problems.duplicate(path, { key, effect }, "taints must be unique by key and effect pair");
    seen.add(pair);
  }
}

function validateNode(worker: JsonObject, field: string, problems: Problems): void {
  const maxPods = numberAt(worker, "kubernetes", "kubelet", "maxPods") ?? 0;
  if (maxPods < 0) {
    problems.invalid(`${field}.kubernetes.kubelet.maxPods`, maxPods, "must be greater than or equal to 0");
  }
  const threshold = numberAt(worker, "clusterAutoscaler", "scaleDownUtilizationThreshold") ?? 0;
  if (threshold > 1) {
    problems.invalid(`${field}.autoscaler.scaleDownUtilizationThreshold`, threshold, "can not be greater than 1.0");
  }
  problems.oneOf(`${field}.cri.name`, valueAt(worker, "cri", "name"), ["containerd"]);
  const strategy = worker["updateStrategy"];
  problems.oneOf(`${field}.updateStrategy`, strategy, strategies);
}

/** In-place updates need a feature of Gardener that is off. */
export function validateNewStrategies(spec: unknown, old: unknown, problems: Problems): void {
  for (const [index, { name, updateStrategy }] of entriesAt(spec, "provider", "workers")) {
    const before = entriesAt(old, "provider", "workers").find(([, worker]) => worker["name"] === name)?.[1];
    const isInPlace = updateStrategy === "AutoInPlaceUpdate" || updateStrategy === "ManualInPlaceUpdate";
    if (!isInPlace || before?.["updateStrategy"] === updateStrategy) continue;
    problems.invalid(
      `spec.provider.workers[${index}].updateStrategy`,
      updateStrategy,
      "can not configure `AutoInPlaceUpdate` or `ManualInPlaceUpdate` update strategies when the `InPlaceNodeUpdates` " +
        "feature gate is disabled.",
    );
  }
}
