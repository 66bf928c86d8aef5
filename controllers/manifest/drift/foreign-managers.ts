import { gzipSync } from "node:zlib";
import type { AnyObject } from "@kyma-operators/kube";
import { LRUCache } from "lru-cache";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { refOf } from "../inventory/identity.ts";
import type { Pass } from "../pass.ts";

/** Which Manifests' objects are looked through for managers that nobody expects there. */
export interface AnalysisOptions {
  /** Key of the label that chooses Manifests. */
  readonly label: string;
  readonly knownManagers: readonly string[];
  /** A Manifest is reported at most once in this time. */
  readonly intervalMs: number;
}

const defaultManagers: readonly string[] = [fieldManagers.manifestApplier, "lifecycle-manager", "k3s"];
const defaultSeconds = 300;
const maxRemembered = 20_000;

/** The options as upstream's experimental variables give them; undefined without the label. */
export function analysisFrom(env: Readonly<Record<string, string | undefined>>): AnalysisOptions | undefined {
  const label = env["KLM_EXPERIMENTAL_MANAGED_FIELDS_ANALYSIS_LABEL"] ?? "";
  if (label === "") return undefined;
  const named = (env["KLM_EXPERIMENTAL_KNOWN_MANAGERS"] ?? "").split(";").filter((name) => name !== "");
  const seconds = /^[1-9]\d{1,3}$/.exec(env["KLM_EXPERIMENTAL_FREQUENCY_LIMITER_TTL"] ?? "")?.[0] ?? defaultSeconds;
  return {
    label,
    knownManagers: named.length === 0 ? defaultManagers : named,
    intervalMs: Number(seconds) * 1_000,
  };
}

/** Logs who else writes to the objects of chosen Manifests: their managed fields, never their content. */
export class ForeignManagers {
  readonly #options: AnalysisOptions;
  readonly #reported = new LRUCache<string, number>({ max: maxRemembered });

  constructor(options: AnalysisOptions) {
    this.#options = options;
  }

  /** Looks at the objects that the pass has seen; costs no request. */
  report({ manifest, live, ctx }: Pick<Pass, "manifest" | "live" | "ctx">): void {
    const { label, intervalMs } = this.#options;
    const { namespace = "", name = "", labels = {} } = manifest.metadata;
    const key = `${namespace}/${name}`;
    if (labels[label] === undefined || ctx.now < (this.#reported.get(key) ?? -Infinity) + intervalMs) return;
    const found = [...live.values()].filter((object) => this.#isForeign(object));
    if (found.length === 0) return;
    this.#reported.set(key, ctx.now);
    ctx.log.info({ managedFields: packed(found) }, `${found.length} objects have managers that are not known`);
  }

  #isForeign({ metadata }: AnyObject): boolean {
    return (metadata.managedFields ?? []).some(({ manager = "" }) => !this.#options.knownManagers.includes(manager));
  }
}

/** JSON of what is reported, zipped and in base64: a log line is no place for thousands of fields. */
function packed(objects: readonly AnyObject[]): string {
  const report = objects.map((object) => ({ ...refOf(object), managedFields: object.metadata.managedFields }));
  return gzipSync(JSON.stringify(report)).toString("base64");
}
