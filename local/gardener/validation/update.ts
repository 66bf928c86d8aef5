import { compareVersions, type JsonObject } from "@kyma-operators/gardener";
import { entriesAt, isEmpty, listAt, textAt, valueAt } from "./json.ts";
import type { Problems } from "./problems.ts";

/** What an update may not change, whatever the new value is. Both sides have their defaults. */
export function validateShootUpdate(next: JsonObject, old: JsonObject, problems: Problems): void {
  const [after, before] = [valueAt(next, "spec"), valueAt(old, "spec")];
  validateFixed(after, before, problems);
  validateBindings(after, before, problems);
  validateDns(after, before, problems);
  validateVersions(after, before, problems);
  validatePools(after, before, problems);
}

/** Paths below `spec` that never change, and paths that only stay once they are set. */
const fixed = [
  ["provider", "type"],
  ["exposureClassName"],
  ["kubernetes", "kubeControllerManager", "nodeCIDRMaskSize"],
];
const onceSet = [
  ["networking", "pods"],
  ["networking", "services"],
  ["networking", "type"],
];
const failureTolerance = ["controlPlane", "highAvailability", "failureTolerance", "type"];

function validateFixed(after: unknown, before: unknown, problems: Problems): void {
  // A Shoot without workers has no networks; it gets its own refusal.
  const hasWorkers = listAt(after, "provider", "workers").length > 0;
  const isScheduled = !isEmpty(valueAt(before, "seedName"));
  const kept = [...(hasWorkers ? onceSet : []), ...(isScheduled ? [failureTolerance] : [])];
  const paths = [...fixed, ...kept.filter((path) => !isEmpty(valueAt(before, ...path)))];
  for (const path of paths) {
    problems.immutable(`spec.${path.join(".")}`, valueAt(before, ...path), valueAt(after, ...path));
  }
  if (!isEmpty(valueAt(before, "region"))) {
    problems.immutable("spec.region", valueAt(before, "region"), valueAt(after, "region"));
  }
}

function validateBindings(after: unknown, before: unknown, problems: Problems): void {
  const secret = { was: valueAt(before, "secretBindingName"), is: valueAt(after, "secretBindingName") };
  const isUnset =
    !isEmpty(valueAt(before, "credentialsBindingName")) && isEmpty(valueAt(after, "credentialsBindingName"));
  if (isUnset) problems.forbidden("spec.credentialsBindingName", "the field cannot be unset");
  if (!isEmpty(secret.is) && secret.is !== secret.was) {
    problems.invalid("spec.secretBindingName", secret.is, "field is immutable");
  }
}

function validateDns(after: unknown, before: unknown, problems: Problems): void {
  const domain = valueAt(before, "dns", "domain");
  if (isEmpty(domain)) return;
  const next = valueAt(after, "dns");
  if (next === undefined) problems.invalid("spec.dns", null, "field is immutable");
  else problems.immutable("spec.dns.domain", domain, valueAt(next, "domain"));
}

function validateVersions(after: unknown, before: unknown, problems: Problems): void {
  const path = ["kubernetes", "version"];
  const [is, was] = [textAt(after, ...path), textAt(before, ...path)];
  const downgrade = "kubernetes version downgrade is not supported";
  if ((compareVersions(is, was) ?? 0) < 0) problems.forbidden("spec.kubernetes.version", downgrade);
  if (minorOf(is) > minorOf(was) + 1) {
    problems.forbidden("spec.kubernetes.version", "kubernetes version upgrade cannot skip a minor version");
  }
  for (const [index, worker] of entriesAt(after, "provider", "workers")) {
    const running = poolOf(before, worker);
    const wanted = textAt(worker, ...path) || is;
    const current = textAt(running, ...path) || was;
    if (running !== undefined && (compareVersions(wanted, current) ?? 0) < 0) {
      problems.forbidden(`spec.provider.workers[${index}].kubernetes.version`, downgrade);
    }
  }
}

function minorOf(version: string): number {
  return Number(version.replace(/^v/, "").split(".")[1] ?? 0);
}

function poolOf(spec: unknown, worker: JsonObject): JsonObject | undefined {
  return entriesAt(spec, "provider", "workers").find(([, each]) => each["name"] === worker["name"])?.[1];
}

const rolling = "AutoRollingUpdate";

function validatePools(after: unknown, before: unknown, problems: Problems): void {
  const workers = entriesAt(after, "provider", "workers");
  if (workers.length === 0 && listAt(before, "provider", "workers").length > 0) {
    problems.forbidden("spec.provider.workers", "cannot switch from a Shoot with workers to a workerless Shoot");
  }
  for (const [index, worker] of workers) {
    const was = poolOf(before, worker)?.["updateStrategy"];
    const is = worker["updateStrategy"];
    if (was === undefined || (was === rolling) === (is === rolling)) continue;
    const [from, to] = [rolling, "AutoInPlaceUpdate/ManualInPlaceUpdate"];
    const change = was === rolling ? `from ${from} to ${to}` : `from ${to} to ${from}`;
    problems.invalid(
      `spec.provider.workers[${index}].updateStrategy`,
      is,
      `update strategy cannot be changed ${change}`,
    );
  }
}
