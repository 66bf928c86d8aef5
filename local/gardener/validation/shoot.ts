import type { JsonObject } from "@kyma-operators/gardener";
import { validateDns } from "./dns.ts";
import { entriesAt, isEmpty, listAt, textAt, valueAt } from "./json.ts";
import { validateKubernetes } from "./kubernetes.ts";
import { validateHibernation, validateMaintenance } from "./maintenance.ts";
import { dnsLabel, labelValue, qualifiedName } from "./names.ts";
import { validateNetworking } from "./networking.ts";
import { Problems } from "./problems.ts";
import { validateWorkers } from "./workers.ts";

const purposes = ["development", "evaluation", "production", "testing"];

/**
 * What Gardener's API server checks in a Shoot by itself, without looking at other objects.
 *
 * The rules and their texts are those of its release 1.117, as far as a recorded answer shows them.
 */
export function validateShoot(shoot: JsonObject): Problems {
  const problems = new Problems();
  const spec = valueAt(shoot, "spec");
  validateMetadata(shoot, problems);
  validateGeneral(shoot, problems);
  validateReferences(spec, problems);
  validateLists(spec, problems);
  validateNetworking(spec, problems);
  validateKubernetes(spec, problems);
  validateDns(spec, problems);
  validateMaintenance(spec, problems);
  validateHibernation(spec, problems);
  validateProvider(spec, problems);
  return problems;
}

function validateMetadata(shoot: JsonObject, problems: Problems): void {
  const name = textAt(shoot, "metadata", "name");
  if (!dnsLabel.rule.test(name)) problems.invalid("metadata.name", name, dnsLabel.text);
  if (name.includes("--")) problems.invalid("metadata.name", name, "name may not contain two consecutive hyphens");
  for (const value of Object.values(valueAt(shoot, "metadata", "labels") ?? {})) {
    if (!labelValue.rule.test(String(value))) problems.invalid("metadata.labels", value, labelValue.text);
  }
}

function validateGeneral(shoot: JsonObject, problems: Problems): void {
  const spec = valueAt(shoot, "spec");
  const isGarden = textAt(shoot, "metadata", "namespace") === "garden";
  problems.oneOf("spec.purpose", valueAt(spec, "purpose"), isGarden ? [...purposes, "infrastructure"] : purposes);
  if (isEmpty(valueAt(spec, "region"))) problems.required("spec.region", "must specify a region");
  validatePlacement(spec, problems);
  const hasAddon = Object.values(valueAt(spec, "addons") ?? {}).some((addon) => valueAt(addon, "enabled") === true);
  if (hasAddon && valueAt(spec, "purpose") !== "evaluation") {
    problems.forbidden("spec.addons", "addons can only be enabled on shoots with .spec.purpose=evaluation");
  }
}

function validatePlacement(spec: unknown, problems: Problems): void {
  const tolerance = "controlPlane.highAvailability.failureTolerance.type";
  problems.oneOf(`spec.${tolerance}`, valueAt(spec, ...tolerance.split(".")), ["node", "zone"]);
  for (const key of Object.keys(valueAt(spec, "seedSelector", "matchLabels") ?? {})) {
    if (!qualifiedName.rule.test(key)) problems.invalid("spec.seedSelector.matchLabels", key, qualifiedName.text);
  }
  for (const [index, toleration] of entriesAt(spec, "tolerations")) {
    if (isEmpty(toleration["key"])) problems.required(`spec.tolerations[${index}].key`, "cannot be empty");
  }
}

function validateReferences(spec: unknown, problems: Problems): void {
  const isWorkerless = listAt(spec, "provider", "workers").length === 0;
  const [secret, credentials] = [valueAt(spec, "secretBindingName"), valueAt(spec, "credentialsBindingName")];
  if (isEmpty(valueAt(spec, "cloudProfileName")) && isEmpty(valueAt(spec, "cloudProfile", "name"))) {
    problems.required("spec.cloudProfile.name", "must specify a cloud profile");
  }
  if (!isWorkerless && isEmpty(secret) && isEmpty(credentials)) {
    problems.required("spec.secretBindingName", "must be set when credentialsBindingName is not");
  }
  if (!isEmpty(secret) && !isEmpty(credentials)) {
    problems.forbidden("spec.secretBindingName", "is incompatible with credentialsBindingName");
  }
}

function validateLists(spec: unknown, problems: Problems): void {
  const extensions = entriesAt(spec, "extensions");
  for (const [index, { type }] of extensions) {
    if (isEmpty(type)) problems.required(`spec.extensions[${index}].type`, "field must not be empty");
  }
  problems.unique(
    "spec.extensions",
    "type",
    extensions.map(([, { type }]) => type),
  );
  for (const [index, resource] of entriesAt(spec, "resources")) {
    for (const [key, text] of [
      ["kind", "a kind"],
      ["name", "a name"],
      ["apiVersion", "an apiVersion"],
    ] as const) {
      if (!isEmpty(valueAt(resource, "resourceRef", key))) continue;
      problems.required(`spec.resources[${index}].resourceRef.${key}`, `must provide ${text}`);
    }
  }
}

/** Fields without a meaning for a Shoot that has no workers. */
const workerFields = [
  ["provider", "infrastructureConfig"],
  ["provider", "controlPlaneConfig"],
  ["provider", "workersSettings"],
  ["networking", "type"],
  ["networking", "pods"],
  ["networking", "nodes"],
  ["maintenance", "autoUpdate", "machineImageVersion"],
  ["secretBindingName"],
];

function validateProvider(spec: unknown, problems: Problems): void {
  if (isEmpty(valueAt(spec, "provider", "type")))
    problems.required("spec.provider.type", "must specify a provider type");
  if (listAt(spec, "provider", "workers").length > 0) {
    validateWorkers(spec, problems);
    return;
  }
  for (const path of workerFields.filter((each) => valueAt(spec, ...each) !== undefined)) {
    problems.forbidden(`spec.${path.join(".")}`, "this field should not be set for workerless Shoot clusters");
  }
}
