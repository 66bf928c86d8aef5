import type { AnyObject } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import { equal, type Strategy } from "../resource.ts";
import { type Fields, isFields } from "./edit.ts";

const sizeLimitBytes = 1024 * 1024;
const keyPattern = /^[-._a-zA-Z0-9]+$/;
const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Kinds that hold data. */
export const configStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  "/configmaps": {
    validate: (map, old) => [
      ...validateKeys(map.data, "data"),
      ...validateKeys(map.binaryData, "binaryData"),
      ...validateTwins(map),
      ...validateSize(map, ["data", "binaryData"]),
      ...(old?.immutable === true ? validateImmutable(map, old, ["data", "binaryData"]) : []),
    ],
  },
  "/secrets": {
    validate: (secret, old) => [
      ...validateKeys(secret.data, "data"),
      ...validateSecretType(secret, old),
      ...validateSize(secret, ["data"]),
      ...(old?.immutable === true ? validateImmutable(secret, old, ["data"]) : []),
    ],
  },
  "coordination.k8s.io/leases": { validate: validateLease },
};

function validateKeys(data: unknown, path: string): readonly FieldProblem[] {
  if (!isFields(data)) return [];
  return Object.keys(data)
    .filter((key) => !keyPattern.test(key))
    .map((key) => fieldProblem("FieldValueInvalid", `${path}[${key}]`, keyText, key));
}

function validateTwins({ data, binaryData }: AnyObject): readonly FieldProblem[] {
  const others = isFields(binaryData) ? binaryData : {};
  return Object.keys(isFields(data) ? data : {})
    .filter((key) => Object.hasOwn(others, key))
    .map((key) => fieldProblem("FieldValueInvalid", `data[${key}]`, "duplicate of key present in binaryData", key));
}

function validateSize(object: AnyObject, fields: readonly string[]): readonly FieldProblem[] {
  const values = fields.flatMap((field) => (isFields(object[field]) ? Object.values(object[field]) : []));
  const bytes = values.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? Buffer.byteLength(value) : 0),
    0,
  );
  if (bytes <= sizeLimitBytes) return [];
  return [
    fieldProblem(
      "FieldValueTooLong",
      fields.length > 1 ? "[]" : "data",
      `may not be more than ${sizeLimitBytes} bytes`,
    ),
  ];
}

function validateImmutable(next: AnyObject, old: AnyObject, fields: readonly string[]): readonly FieldProblem[] {
  const message = "field is immutable when `immutable` is set";
  return [
    ...(next.immutable === true ? [] : [fieldProblem("FieldValueForbidden", "immutable", message)]),
    ...fields
      .filter((field) => !equal(next[field], old[field]))
      .map((field) => fieldProblem("FieldValueForbidden", field, message)),
  ];
}

const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
};

function validateSecretType(secret: AnyObject, old: AnyObject | undefined): readonly FieldProblem[] {
  const type = String(secret.type);
  const data = isFields(secret.data) ? secret.data : {};
  const missing = (requiredKeys[type] ?? []).filter((key) => data[key] === undefined);
  return [
    ...(old === undefined || old.type === secret.type
      ? []
      : [fieldProblem("FieldValueInvalid", "type", "field is immutable", secret.type)]),
    ...missing.map((key) => fieldProblem("FieldValueRequired", `data[${key}]`, "")),
    ...(type === "kubernetes.io/basic-auth" ? validateLogin(data) : []),
    ...(type === "kubernetes.io/service-account-token" ? validateAccount(secret) : []),
  ];
}

/** One of them is enough. */
function validateLogin(data: Fields): readonly FieldProblem[] {
  const keys = ["username", "password"];
  if (keys.some((key) => data[key] !== undefined)) return [];
  return keys.map((key) => fieldProblem("FieldValueRequired", `data[${key}]`, ""));
}

const accountName = "kubernetes.io/service-account.name";

function validateAccount({ metadata: { annotations = {} } }: AnyObject): readonly FieldProblem[] {
  if ((annotations[accountName] ?? "") !== "") return [];
  return [fieldProblem("FieldValueRequired", `metadata.annotations[${accountName}]`, "")];
}

function validateLease(lease: AnyObject): readonly FieldProblem[] {
  const spec = isFields(lease.spec) ? lease.spec : {};
  return [
    ...positive(spec, "leaseDurationSeconds", "must be greater than 0"),
    ...(typeof spec.leaseTransitions === "number" && spec.leaseTransitions < 0
      ? [
          fieldProblem(
            "FieldValueInvalid",
            "spec.leaseTransitions",
            "must be greater than or equal to 0",
            spec.leaseTransitions,
          ),
        ]
      : []),
  ];
}

function positive(spec: Fields, name: string, text: string): readonly FieldProblem[] {
  const value = spec[name];
  return typeof value === "number" && value <= 0
    ? [fieldProblem("FieldValueInvalid", `spec.${name}`, text, value)]
    : [];
}
