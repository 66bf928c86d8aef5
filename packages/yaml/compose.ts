import { yaml } from "./errors.ts";
import { goSyntax } from "./go-syntax.ts";
import { formatFloat, formatFloat32 } from "./numbers.ts";
import type { YamlLimits, YamlOptions } from "./options.ts";
import { defaultLimits } from "./options.ts";
import { positionAt } from "./position.ts";
import { resolveYaml11, resolveYaml12, type Scalar } from "./scalars.ts";

/** A value read from YAML: JSON, plus `bigint` and `Map` where the options ask for them. */
export type YamlValue = unknown;
type Maps = Map<string, YamlValue>;

interface ListFrame {
  readonly kind: "list";
  readonly value: YamlValue[];
  readonly anchor: string;
}

interface MapFrame {
  readonly kind: "map";
  readonly value: Maps;
  readonly anchor: string;
  /** Keys that came from `<<`, if any: a key of the map itself may still replace them. */
  merged: Set<string> | undefined;
  key: string | undefined;
  keyIsMerge: boolean;
}

type Frame = ListFrame | MapFrame;

/** Stands for a null key until its value is known; no text can be equal to it. */
const nullKey = "\ud800null";
const wrongMerge = "map merge requires map or sequence of maps as the value";

const tagPrefix = "tag:yaml.org,2002:";
/** Tags that say how a scalar is to be read; with any other it stays a text. */
const taggedKinds: ReadonlyMap<string, readonly Scalar["kind"][]> = new Map([
  [`${tagPrefix}int`, ["int"]],
  [`${tagPrefix}float`, ["float", "int"]],
  [`${tagPrefix}bool`, ["bool"]],
  [`${tagPrefix}null`, ["null"]],
  [`${tagPrefix}timestamp`, ["time"]],
]);
const kindTags: Readonly<Record<string, string>> = { text: "str", merge: "str", time: "str" };
const binaryTag = `${tagPrefix}binary`;

/** Builds values from the events of a YAML parser, the way Go's YAML library and sigs.k8s.io/yaml do together. */
export class Composer {
  readonly documents: YamlValue[] = [];
  readonly #source: string;
  readonly #options: YamlOptions;
  readonly #limits: YamlLimits;
  readonly #resolve: (source: string) => Scalar;
  readonly #frames: Frame[] = [];
  #anchors = new Map<string, { value: YamlValue; open: boolean }>();
  #root: YamlValue = null;
  #nodes = 0;
  /** The first value that is wrong: by YAML's rules, and by JSON's, which Go applies later. */
  #undecodable: Error | undefined;
  #unconvertible: Error | undefined;

  constructor(source: string, options: YamlOptions) {
    this.#source = source;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#resolve = options.dialect === "resource" ? resolveYaml12 : resolveYaml11;
  }

  startDocument(): void {
    this.#anchors = new Map();
    this.#root = null;
  }

  endDocument(): void {
    // Go reads a document to its end before it looks at what the values are.
    const wrong = this.#undecodable ?? this.#unconvertible;
    if (wrong !== undefined) throw wrong;
    this.documents.push(this.#options.maps === "map" ? this.#root : toObjects(this.#root));
  }

  scalar(source: string, node: { plain: boolean; tag: string; anchor: string; offset: number }): void {
    this.#charge(1);
    const scalar = this.#read(source, node);
    if (this.#awaitsKey()) {
      this.#setKey(scalar, source, node.offset);
      if (node.anchor !== "")
        this.#anchors.set(node.anchor, { value: this.#valueOf(scalar, source, node.offset), open: false });
      return;
    }
    const value = this.#valueOf(
      scalar,
      node.tag === binaryTag ? this.#binary(source, node.offset) : source,
      node.offset,
    );
    if (node.anchor !== "") this.#anchors.set(node.anchor, { value, open: false });
    this.#add(value, node.offset);
  }

  startList(anchor: string): void {
    this.#open({ kind: "list", value: [], anchor });
  }

  startMap(anchor: string): void {
    this.#open({ kind: "map", value: new Map(), anchor, merged: undefined, key: undefined, keyIsMerge: false });
  }

  end(offset: number): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    const anchor = this.#anchors.get(frame.anchor);
    if (anchor?.value === frame.value) anchor.open = false;
    this.#add(frame.value, offset);
  }

  alias(name: string, offset: number): void {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) throw this.#syntax(`unknown anchor '${name}' referenced`, offset);
    if (anchor.open) {
      this.#wrong(`yaml: anchor '${name}' value contains itself`, offset);
      this.#add(null, offset);
      return;
    }
    if (this.#awaitsKey()) {
      this.#setKey({ kind: "text" }, this.#keyText(anchor.value, offset), offset);
      return;
    }
    this.#add(this.#copy(anchor.value, this.#frames.length), offset);
  }

  #read(source: string, { plain, tag, offset }: { plain: boolean; tag: string; offset: number }): Scalar {
    if (tag === "") return plain ? this.#resolve(source) : { kind: "text" };
    const wanted = taggedKinds.get(tag);
    if (wanted === undefined) return { kind: "text" };
    const scalar = this.#resolve(source);
    if (!wanted.includes(scalar.kind)) {
      this.#wrong(
        `yaml: cannot decode !!${kindTags[scalar.kind] ?? scalar.kind} \`${source}\` as a ${tag.replace(tagPrefix, "!!")}`,
        offset,
      );
    }
    return scalar;
  }

  #binary(source: string, offset: number): string {
    const plain = source.replace(/[\r\n]/g, "");
    if (plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) {
      this.#wrong("yaml: !!binary value contains invalid base64 data", offset);
    }
    return Buffer.from(plain, "base64").toString("utf8");
  }

  #valueOf(scalar: Scalar, source: string, offset: number): YamlValue {
    switch (scalar.kind) {
      case "null":
        return null;
      case "bool":
        return scalar.value;
      case "int":
        return this.#integer(scalar.value, offset);
      case "float":
        return this.#float(scalar.value, offset);
      case "time":
        return this.#options.dialect === "resource" ? scalar.value : source;
      case "merge":
      case "text":
        break;
    }
    return source;
  }

  #integer(value: bigint, offset: number): number | bigint {
    const number = Number(value);
    if (Number.isSafeInteger(number) || this.#options.integers === "float64") return number;
    if (this.#options.integers === "bigint") return value;
    this.#wrong(`the integer ${value} is too large to be kept exactly; quote it if it is a text`, offset);
    return number;
  }

  #float(value: number, offset: number): number {
    if (Number.isFinite(value)) return value;
    this.#wrong(`json: unsupported value: ${formatFloat(value)}`, offset);
    return 0;
  }

  #awaitsKey(): boolean {
    const top = this.#frames.at(-1);
    return top?.kind === "map" && top.key === undefined && !top.keyIsMerge;
  }

  #setKey(scalar: Scalar, source: string, offset: number): void {
    const top = this.#frames.at(-1);
    if (top?.kind !== "map") return;
    if (scalar.kind === "merge") {
      top.keyIsMerge = true;
      return;
    }
    const value =
      scalar.kind === "float" || scalar.kind === "int" ? scalar.value : this.#valueOf(scalar, source, offset);
    top.key = this.#keyText(value, offset);
  }

  #keyText(value: YamlValue, offset: number): string {
    if (typeof value === "string") return value;
    if (typeof value === "number") return formatFloat32(value);
    if (typeof value === "boolean" || typeof value === "bigint") return String(value);
    // Of a null key Go also shows the value, which is not read yet.
    if (value === null) return nullKey;
    this.#wrong(`yaml: invalid map key: ${goSyntax(value)}`, offset);
    return "";
  }

  #open(frame: Frame): void {
    this.#charge(1);
    if (this.#frames.length >= this.#limits.maxDepth) throw this.#limit("maxDepth");
    if (frame.anchor !== "") this.#anchors.set(frame.anchor, { value: frame.value, open: true });
    this.#frames.push(frame);
  }

  #add(value: YamlValue, offset: number): void {
    const top = this.#frames.at(-1);
    if (top === undefined) this.#root = value;
    else if (top.kind === "list") top.value.push(value);
    else if (top.keyIsMerge) this.#merge(top, value, offset);
    else if (top.key === undefined) top.key = this.#keyText(value, offset);
    else this.#put(top, top.key, value, offset);
  }

  #put(frame: MapFrame, key: string, value: YamlValue, offset: number): void {
    if (key === nullKey) {
      const shown = value === null ? "<nil>" : goSyntax(value);
      this.#wrong(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${shown}`, offset);
    }
    if (this.#options.duplicateKeys === "error" && frame.value.has(key) && frame.merged?.has(key) !== true) {
      this.#wrong(`key ${JSON.stringify(key)} already set in map`, offset);
    }
    frame.merged?.delete(key);
    frame.value.set(key, value);
    frame.key = undefined;
  }

  #merge(frame: MapFrame, value: YamlValue, offset: number): void {
    frame.keyIsMerge = false;
    frame.merged ??= new Set();
    for (const source of Array.isArray(value) ? value : [value]) {
      if (!(source instanceof Map)) {
        this.#wrong(`yaml: ${wrongMerge}`, offset);
        return;
      }
      this.#charge(source.size);
      for (const [key, item] of source as Maps) {
        if (frame.value.has(key)) continue;
        frame.value.set(key, item);
        frame.merged.add(key);
      }
    }
  }

  /** Aliases become copies, as in JSON; the copies count against the limits, so a bomb stops here. */
  #copy(value: YamlValue, depth: number): YamlValue {
    this.#charge(1);
    if (depth > this.#limits.maxDepth) throw this.#limit("maxDepth");
    if (Array.isArray(value)) return value.map((item) => this.#copy(item, depth + 1));
    if (!(value instanceof Map)) return value;
    const copy: Maps = new Map();
    for (const [key, item] of value as Maps) copy.set(key, this.#copy(item, depth + 1));
    return copy;
  }

  #charge(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > this.#limits.maxNodes) throw this.#limit("maxNodes");
  }

  #limit(limit: keyof YamlLimits): Error {
    return yaml.LIMIT({ name: this.#options.name ?? "YAML", limit, max: this.#limits[limit] });
  }

  #syntax(reason: string, offset: number): Error {
    const name = this.#options.name ?? "YAML";
    return yaml.SYNTAX({ ...positionAt(this.#source, offset), name, reason, goText: `yaml: ${reason}` });
  }

  /** Notes a value that is wrong; the document fails with the first of them once its syntax is known to be right. */
  #wrong(goText: string, offset: number): void {
    const name = this.#options.name ?? "YAML";
    const reason = goText.replace(/^yaml: /, "");
    const error = yaml.VALUE({ ...positionAt(this.#source, offset), name, reason, goText });
    if (reason === goText) this.#unconvertible ??= error;
    else this.#undecodable ??= error;
  }
}

function toObjects(value: YamlValue): YamlValue {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = toObjects(value[index]);
    return value;
  }
  if (!(value instanceof Map)) return value;
  const object: Record<string, YamlValue> = {};
  for (const [key, item] of value as Maps) setKey(object, key, toObjects(item));
  return object;
}

/** `__proto__` is an ordinary key in YAML; assigning it would change the object's prototype. */
function setKey(object: Record<string, YamlValue>, key: string, value: YamlValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
