import { Emitter, marshalLayout } from "./emitter.ts";
import { yaml } from "./errors.ts";
import { compareKeys } from "./key-order.ts";
import { formatNumber } from "./numbers.ts";

const maxDepth = 1_000;

/**
 * Writes a JSON value as sigs.k8s.io/yaml marshals it: block style, keys in Go's natural order, its quotes
 * and its folds at column 80. Ends in one line feed. Members that are `undefined` are left out, as in JSON.
 *
 * Throws `YAML_UNPRINTABLE` for what JSON cannot carry (functions, symbols, NaN, infinities) and for
 * values deeper than 1,000 levels.
 */
export function formatYaml(value: unknown): string {
  const emitter = new Emitter(marshalLayout);
  writeNode(emitter, value, { inMap: false, depth: 0 });
  return emitter.finish();
}

/** Writes documents one after the other, each but the first behind a `---` line. */
export function formatYamlDocuments(values: readonly unknown[]): string {
  return values.map((value) => formatYaml(value)).join("---\n");
}

interface Place {
  /** The node is the value of a key. */
  readonly inMap: boolean;
  readonly depth: number;
}

function writeNode(emitter: Emitter, value: unknown, place: Place): void {
  if (place.depth > maxDepth) throw yaml.UNPRINTABLE({ reason: `nested deeper than ${maxDepth} levels` });
  if (typeof value === "string") emitter.text(value.replaceAll("\u0085", " "));
  else if (Array.isArray(value)) writeList(emitter, value, place);
  else if (typeof value === "object" && value !== null) writeMap(emitter, entriesOf(value), place);
  else emitter.plain(plainText(value));
}

function writeList(emitter: Emitter, list: readonly unknown[], place: Place): void {
  if (list.length === 0) {
    emitter.empty("[]");
    return;
  }
  const inside = { inMap: false, depth: place.depth + 1 };
  emitter.list(list.length, place.inMap, (index) => writeNode(emitter, list[index], inside));
}

function writeMap(emitter: Emitter, entries: ReadonlyMap<string, unknown>, place: Place): void {
  if (entries.size === 0) {
    emitter.empty("{}");
    return;
  }
  const inside = { inMap: true, depth: place.depth + 1 };
  const keys = [...entries.keys()].sort(compareKeys);
  emitter.map(keys, (key) => writeNode(emitter, entries.get(key), inside));
}

function entriesOf(value: object): ReadonlyMap<string, unknown> {
  if (value instanceof Map) return value as Map<string, unknown>;
  return new Map(Object.entries(value).filter(([, item]) => item !== undefined));
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return formatNumber(value);
  throw yaml.UNPRINTABLE({
    reason: `a ${typeof value}${typeof value === "number" ? ` ${value}` : ""} has no JSON form`,
  });
}
