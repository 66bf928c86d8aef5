import type { ModuleStatus } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import type { State } from "../../apis/operator/state.ts";
import { formatRfc3339 } from "../../modules/maintenance/calendar.ts";
import { nearestNames } from "../../modules/nearest.ts";
import type { KymaPlan } from "../../modules/plan-kyma.ts";
import { formatTable } from "../table.ts";

/** `kyma module plan`: what a Kyma would produce; the keys are a contract of `-o json`. */
interface PlanReport {
  /** Every Manifest that exists afterwards. */
  readonly manifests: readonly Omit<Manifest, "status">[];
  /** The modules in the status of the Kyma. */
  readonly modules: readonly ModuleStatus[];
  readonly writes: readonly { readonly verb: "apply" | "delete"; readonly name: string | undefined }[];
  readonly kyma: { readonly state: State; readonly activeChannel?: string };
  readonly error?: string;
  readonly mandatoryError?: string;
}

/** The plan as data. */
export function planAsData(plan: KymaPlan): PlanReport {
  const { manifests, modules, writes, kyma, error, mandatoryError } = plan;
  return {
    manifests: manifests.map(withoutServerFields).sort(byName(({ metadata }) => metadata.name ?? "")),
    modules: modules.toSorted(byName(({ name }) => name)),
    writes: writes.map(({ verb, manifest }) => ({
      verb: verb === "delete" ? "delete" : "apply",
      name: manifest.metadata.name,
    })),
    kyma,
    ...(error === undefined ? {} : { error }),
    ...(mandatoryError === undefined ? {} : { mandatoryError }),
  };
}

function withoutServerFields({ apiVersion, kind, metadata, spec }: Manifest): Omit<Manifest, "status"> {
  const { creationTimestamp: _c, resourceVersion: _r, uid: _u, generation: _g, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept, spec };
}

function byName<T>(nameOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => (nameOf(a) < nameOf(b) ? -1 : 1);
}

/** The plan as a person reads it: a table, then what needs an explanation. */
export function planAsText(plan: KymaPlan, knownModules: readonly string[]): string {
  const rows = [...plan.modules.map((module) => moduleRow(module, plan)), ...mandatoryRows(plan)];
  const table =
    rows.length === 0
      ? "no modules\n"
      : formatTable(["MODULE", "CHANNEL", "VERSION", "STATE", "WRITES", "MESSAGE"], rows);
  const { state, activeChannel } = plan.kyma;
  const summary = `Kyma: ${state}${activeChannel === undefined ? "" : `, active channel ${activeChannel}`}`;
  const errors = [plan.error, plan.mandatoryError].filter((text) => text !== undefined).map((text) => `Error: ${text}`);
  return `${[table, summary, ...errors, ...hints(plan, knownModules)].join("\n")}\n`;
}

function moduleRow({ name, channel = "", version = "", state, message = "" }: ModuleStatus, plan: KymaPlan): string[] {
  return [name, channel, version, state || "(new)", writesOf(name, plan), message];
}

/** Mandatory modules are not in the status; a person wants to see them all the same. */
function mandatoryRows({ writes }: KymaPlan): string[][] {
  return writes
    .filter(({ manifest }) => manifest.metadata.labels?.[labels.mandatoryModule] !== undefined)
    .map(({ verb, manifest: { metadata, spec } }) => {
      const name = metadata.labels?.[labels.moduleName] ?? "";
      return [name, "(mandatory)", spec.version ?? "", "", `${verb} ${metadata.name ?? ""}`, ""];
    });
}

function writesOf(module: string, { writes }: KymaPlan): string {
  const own = writes.filter(({ manifest }) => manifest.metadata.labels?.[labels.moduleName] === module);
  return own.length === 0 ? "-" : own.map(({ verb, manifest }) => `${verb} ${manifest.metadata.name ?? ""}`).join(", ");
}

function hints({ problems, window }: KymaPlan, knownModules: readonly string[]): string[] {
  return [...problems].flatMap(([module, { kind }]) => {
    if (kind === "no-release-meta") return unknownModule(module, knownModules);
    return kind === "waiting" ? [nextWindow(module, window())] : [];
  });
}

function unknownModule(module: string, known: readonly string[]): string[] {
  const near = nearestNames(module, known);
  return near.length === 0 ? [] : [`${module}: did you mean ${near.join(", ")}?`];
}

function nextWindow(module: string, state: ReturnType<KymaPlan["window"]>): string {
  if (state.kind !== "closed") return `${module}: waits for its maintenance window`;
  const { beginMs, beginOffset, endMs, endOffset } = state.next;
  return `${module}: next maintenance window ${formatRfc3339(beginMs, beginOffset)} to ${formatRfc3339(endMs, endOffset)}`;
}
