import type { GoMap, GoValue } from "../go/values.ts";

/** A file of a chart. `name` is its path from the chart's root, with slashes. */
export interface ChartFile {
  readonly name: string;
  readonly data: Uint8Array;
}

export interface Maintainer {
  readonly name: string;
  readonly email: string;
  readonly url: string;
}

/** An entry of `dependencies`. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  readonly condition: string;
  readonly tags: readonly string[];
  readonly enabled: boolean;
  /** Names of exports, or maps with `child` and `parent`. */
  readonly importValues: readonly GoValue[];
  readonly alias: string;
}

/** What Chart.yaml says. */
export interface Metadata {
  readonly name: string;
  readonly home: string;
  readonly sources: readonly string[];
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly maintainers: readonly Maintainer[];
  readonly icon: string;
  readonly apiVersion: string;
  readonly condition: string;
  readonly tags: string;
  readonly appVersion: string;
  readonly deprecated: boolean;
  readonly annotations: ReadonlyMap<string, string>;
  readonly kubeVersion: string;
  readonly dependencies: readonly Dependency[];
  readonly type: string;
}

/** A loaded chart: immutable, and usable for any number of renders. */
export interface Chart {
  readonly metadata: Metadata;
  readonly templates: readonly ChartFile[];
  /** Everything that is neither a template nor one of the files with a role of their own. */
  readonly files: readonly ChartFile[];
  /** The defaults of values.yaml. */
  readonly values: GoMap;
  readonly schema: string | undefined;
  readonly charts: readonly Chart[];
  /** SHA-256 over all files, hexadecimal; equal content gives an equal digest. Only the root chart has one. */
  readonly digest: string;
  /** What helm would say on standard error while loading. */
  readonly warnings: readonly string[];
}
