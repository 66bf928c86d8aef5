import { createHash } from "node:crypto";
import { isFields } from "./json.ts";
import type { Resource } from "./resource.ts";

const letters: Readonly<Record<string, string>> = { "0": "g", "1": "h", "3": "k", a: "m", e: "t" };

/**
 * Appends the content hash to the names of generated ConfigMaps and Secrets, so that workloads restart when their
 * configuration changes.
 */
export function addHashes(resources: readonly Resource[]): void {
  for (const resource of resources) {
    if (!resource.needsHash) continue;
    const hash = hashOf(resource);
    resource.rememberId();
    resource.name = `${resource.name}-${hash}`;
  }
}

/** Ten characters of the SHA-256 over kind and content, without vowels and digits that could spell words. */
function hashOf({ fields, kind }: Resource): string {
  const { data = "", binaryData, stringData, type = "" } = fields;
  const content = {
    ...(isFields(binaryData) ? { binaryData } : {}),
    data,
    kind,
    name: "",
    ...(kind === "Secret" && isFields(stringData) ? { stringData } : {}),
    ...(kind === "Secret" ? { type } : {}),
  };
  const hex = createHash("sha256").update(goJson(content)).digest("hex");
  return hex.slice(0, 10).replace(/[013ae]/g, (digit) => letters[digit] ?? digit);
}

/** JSON as Go writes it: keys in byte order, characters that matter in HTML escaped. */
function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (isFields(value)) {
    const keys = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return `{${keys.map((key) => `${goText(key)}:${goJson(value[key])}`).join(",")}}`;
  }
  return typeof value === "string" ? goText(value) : JSON.stringify(value);
}

function goText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
