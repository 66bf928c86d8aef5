/** Bounds on what one text may cost. */
export interface YamlLimits {
  /** Length of the text in UTF-16 units. */
  readonly maxLength: number;
  /** Nesting of lists and maps, aliases expanded. */
  readonly maxDepth: number;
  /** Scalars, lists and maps in all documents, aliases expanded: the guard against alias bombs. */
  readonly maxNodes: number;
}

export interface YamlOptions {
  /**
   * How plain scalars are read.
   * - `kubernetes` (default): as sigs.k8s.io/yaml. `yes no on off y n` are booleans, dates stay as written.
   * - `resource`: as kustomize reads resource files. `yes no on off y n` are texts, a date becomes an RFC 3339 time.
   *
   * Both read `0777`, `0o777`, `0x1F`, `0b1` and `1_000` as integers and `12:30` as a text.
   */
  readonly dialect?: "kubernetes" | "resource";
  /** What a repeated key means. Default `last`: the last one wins, as in Kubernetes. */
  readonly duplicateKeys?: "last" | "error";
  /**
   * What an integer beyond ±(2^53 - 1) becomes.
   * - `error` (default): refused, because a JavaScript number would silently lose digits.
   * - `bigint`: a `bigint`, exact; `formatYaml` writes it back digit for digit.
   * - `float64`: the nearest number, as Go's JSON reading into `interface{}`.
   */
  readonly integers?: "error" | "bigint" | "float64";
  /** What maps become. Default `object`; `map` gives `Map`, which is safe and fast for hostile or many keys. */
  readonly maps?: "object" | "map";
  /** Names the text in errors, for example a file path. Default `YAML`. */
  readonly name?: string;
  readonly limits?: Partial<YamlLimits>;
}

export const defaultLimits: YamlLimits = { maxLength: 100 * 1024 * 1024, maxDepth: 1_000, maxNodes: 2_000_000 };
