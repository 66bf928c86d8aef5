const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const random = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w-])/g;
const clusterIP = /\b10\.(?:0|96)\.\d+\.\d+\b/g;

/** Replaces what differs from run to run: identities, times, versions, addresses, generated names. */
export function normalize(value: unknown, namespace: string): unknown {
  if (typeof value === "string") return normalizeText(value, namespace);
  if (Array.isArray(value)) return value.map((item) => normalize(item, namespace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "storageVersionHash")
      .map(([name, item]) => [normalizeText(name, namespace), normalizeField(name, item, namespace)]),
  );
}

/** Texts and numbers that say nothing about behaviour, by the name of their field. */
const placeholders: Readonly<Record<string, string>> = {
  resourceVersion: "<version>",
  continue: "<token>",
  nodePort: "<port>",
  retryAfterSeconds: "<seconds>",
};

function normalizeField(name: string, value: unknown, namespace: string): unknown {
  const placeholder = placeholders[name];
  const isScalar = typeof value === "number" || typeof value === "string";
  if (placeholder !== undefined && isScalar) return value === "" ? "" : placeholder;
  const normal = normalize(value, namespace);
  return name === "causes" && Array.isArray(normal) ? normalizeCauses(normal) : normal;
}

/**
 * A real server reports the same cause once per validation that finds it, and the conflicts of several field managers
 * in the random order of a Go map.
 */
function normalizeCauses(causes: readonly unknown[]): readonly unknown[] {
  const byText = new Map(causes.map((cause) => [JSON.stringify(cause), cause]));
  const isConflict = [...byText.keys()].every((text) => text.includes('"FieldManagerConflict"'));
  const texts = isConflict ? [...byText.keys()].sort() : [...byText.keys()];
  return texts.map((text) => byText.get(text));
}

function normalizeText(text: string, namespace: string): string {
  return text
    .replaceAll(namespace, "<ns>")
    .replaceAll(uid, "<uid>")
    .replaceAll(time, "<time>")
    .replaceAll(clusterIP, "<address>")
    .replaceAll(random, "-<random>")
    .replaceAll(/(resourceVersion\\*"?: ?\\*")\d+/g, "$1<version>")
    .replaceAll(/(version in record )\(\d+\)/gi, "$1(<version>)")
    .replaceAll(/^\d+s$/g, "<age>")
    .replaceAll(/(resource version: )\d+/g, "$1<version>")
    .replaceAll(/(current: |\()\d+\)?$/g, "$1<version>");
}
