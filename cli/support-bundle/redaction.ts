import { redact } from "@kyma-operators/errors";

const mask = "[redacted]";
const words =
  "pass(?:word|wd|phrase)?|token|secret|credentials?|private[-_]?key|kubeconfig|authorization|api[-_]?key|access[-_]?key|key-data|dockerconfigjson|auth";
/** Names of fields, annotations and variables whose text is a secret. */
const secretName = new RegExp(`(?:${words})$`, "i");
const secretFlag = new RegExp(`^--?[\\w-]*(?:${words})$`, "i");
/** `password: x`, `TOKEN=x`, `"token":"x"` and `--token x` within a text. */
const assignment = new RegExp(`((?:${words})\\\\?["']?\\s*[:=]\\s*\\\\?["']?)(?!\\[redacted)[^\\s"'\\\\,;&}]+`, "gi");
const flagWithValue = new RegExp(`(--[\\w-]*(?:${words})[= ])(?!\\[redacted)\\S+`, "gi");
const base64 = /[A-Za-z0-9+/]{40,}={0,2}/g;
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** An object of the API as it may leave its owner: without managed fields, and with every secret masked. */
export function redactObject(object: unknown): unknown {
  return redactValue(object, "");
}

/** Lines of a log; those that are JSON are looked at as data. */
export function redactLog(text: string): string {
  return redact(text)
    .split("\n")
    .map((line) => redactText(line))
    .join("\n");
}

/** A text of unknown origin. */
export function redactText(text: string): string {
  const data = jsonIn(text);
  if (data !== undefined) return JSON.stringify(redactValue(data, ""));
  if (isKubeconfig(text)) return mask;
  return redact(text)
    .replace(base64, (blob) => (hidesSecret(blob) ? mask : blob))
    .replace(flagWithValue, `$1${mask}`)
    .replace(assignment, `$1${mask}`);
}

function redactValue(value: unknown, name: string): unknown {
  if (typeof value === "string") return secretName.test(name) && value !== "" ? mask : redactText(value);
  if (Array.isArray(value)) return redactList(value);
  return isRecord(value) ? redactRecord(value) : value;
}

/** Arguments come as one text, `--token=x`, or as two. */
function redactList(list: readonly unknown[]): unknown {
  return list.map((item, index) => {
    const before: unknown = list[index - 1];
    return typeof item === "string" && typeof before === "string" && secretFlag.test(before)
      ? mask
      : redactValue(item, "");
  });
}

function redactRecord(record: Readonly<Record<string, unknown>>): unknown {
  const isSecret = record["kind"] === "Secret";
  const variable = typeof record["name"] === "string" ? record["name"] : "";
  const entries = Object.entries(record)
    .filter(([name]) => name !== "managedFields")
    .map(([name, value]) => {
      if (name === lastApplied) return [name, mask];
      if (isSecret && (name === "data" || name === "stringData")) return [name, maskAll(value)];
      return [name, redactValue(value, name === "value" ? variable : name)];
    });
  return Object.fromEntries(entries) as unknown;
}

function maskAll(value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, mask])) : mask;
}

function hidesSecret(blob: string): boolean {
  const text = Buffer.from(blob, "base64").toString("utf8");
  return isKubeconfig(text) || redact(text) !== text || secretInText(text);
}

function secretInText(text: string): boolean {
  return text.replace(assignment, mask) !== text;
}

function isKubeconfig(text: string): boolean {
  return /\bclusters["']?\s*:/.test(text) && /\busers["']?\s*:/.test(text);
}

function jsonIn(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // only looks like JSON
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
