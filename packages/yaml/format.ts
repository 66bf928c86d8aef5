import { Emitter, marshalLayout, prettyLayout } from "./emitter.ts";
import { yaml } from "./errors.ts";
import { compareKeys } from "./key-order.ts";
import { formatFloat, formatNumber } from "./numbers.ts";

const maxDepth = 1_000;

export interface FormatOptions {
  /**
   * - `marshal` (default): as sigs.k8s.io/yaml. Lists stand at their key, long texts fold at column 80.
   * - `pretty`: as go.yaml.in/yaml/v3. Lists are indented under their key, nothing folds, floats show as Go prints them,
   *   a `Uint8Array` is a `!!binary`.
   */
  readonly style?: "marshal" | "pretty";
}

/**
 * Writes a JSON value as sigs.k8s.io/yaml marshals it: block style, keys in Go's natural order, its quotes
 * and its folds at column 80. Ends in one line feed. Members that are `undefined` are left out, as in JSON.
 *
 * Throws `YAML_UNPRINTABLE` for what JSON cannot carry (functions, symbols, NaN, infinities) and for
 * values deeper than 1,000 levels.
 */
export function formatYaml(value: unknown, options: FormatOptions = {}): string {
  const pretty = options.style === "pretty";
  const writer = new ValueWriter(new Emitter(pretty ? prettyLayout : marshalLayout), pretty);
  return writer.write(value);
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

class ValueWriter {
  readonly #emitter: Emitter;
  readonly #pretty: boolean;

  constructor(emitter: Emitter, pretty: boolean) {
    this.#emitter = emitter;
    this.#pretty = pretty;
  }

  write(value: unknown): string {
    this.#node(value, { inMap: false, depth: 0 });
    return this.#emitter.finish();
  }

  #node(value: unknown, place: Place): void {
    if (place.depth > maxDepth) throw yaml.UNPRINTABLE({ reason: `nested deeper than ${maxDepth} levels` });
    if (typeof value === "string") this.#text(value);
    else if (this.#pretty && value instanceof Uint8Array) this.#emitter.binary(value);
    else if (Array.isArray(value)) this.#list(value, place);
    else if (typeof value === "object" && value !== null) this.#map(entriesOf(value), place);
    else this.#emitter.plain(this.#plainText(value));
  }

  #text(text: string): void {
    // On its way through JSON the character is read as a line break and folded into a blank.
    this.#emitter.text(this.#pretty ? text : text.replaceAll("\u0085", " "));
  }

  #list(list: readonly unknown[], place: Place): void {
    if (list.length === 0) {
      this.#emitter.empty("[]");
      return;
    }
    const inside = { inMap: false, depth: place.depth + 1 };
    this.#emitter.list(list.length, place.inMap, (index) => this.#node(list[index], inside));
  }

  #map(entries: ReadonlyMap<string, unknown>, place: Place): void {
    if (entries.size === 0) {
      this.#emitter.empty("{}");
      return;
    }
    const inside = { inMap: true, depth: place.depth + 1 };
    const keys = [...entries.keys()].sort(compareKeys);
    this.#emitter.map(keys, (key) => this.#node(entries.get(key), inside));
  }

  #plainText(value: unknown): string {
    if (value === null || value === undefined) return "null";
    if (typeof value === "boolean" || typeof value === "bigint") return String(value);
    if (typeof value === "number" && Number.isFinite(value))
      return this.#pretty ? formatFloat(value) : formatNumber(value);
    throw yaml.UNPRINTABLE({
      reason: `${typeof value === "number" ? String(value) : `a ${typeof value}`} has no JSON form`,
    });
  }
}

function entriesOf(value: object): ReadonlyMap<string, unknown> {
  if (value instanceof Map) return value as Map<string, unknown>;
  return new Map(Object.entries(value).filter(([, item]) => item !== undefined));
}
