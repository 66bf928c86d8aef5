import type { Kyma, ModuleStatus } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { State } from "../../apis/operator/state.ts";
import { isOfRuntime } from "./kyma-access.ts";
import { releasedVersion } from "./releases.ts";

/** How far one module, or the whole Kyma, is. */
export type Progress =
  | {
      readonly kind: "done";
      readonly state: State;
      /** Which module is in Warning, and why. */
      readonly reason?: string;
    }
  | { readonly kind: "waiting"; readonly reason: string };

/** What is waited for. */
export interface Goal {
  /** Ready and Warning end the wait for a module that is installed, Unmanaged that for one that is left alone. */
  readonly end: "installed" | "unmanaged";
  /** A module is Ready only in the version to which these lead; a Ready of the former one counts for nothing. */
  readonly releases: readonly ModuleReleaseMeta[];
}

const ends: Readonly<Record<Goal["end"], readonly State[]>> = {
  installed: ["Ready", "Warning"],
  unmanaged: ["Unmanaged"],
};

export function moduleProgress(kyma: Kyma, module: string, { end, releases }: Goal): Progress {
  const status = kyma.status?.modules?.find(({ name }) => name === module);
  if (status === undefined || !isObserved(kyma)) return { kind: "waiting", reason: `${module}: not looked at yet` };
  const former = formerVersion(kyma, status, releases);
  if (former !== undefined) return { kind: "waiting", reason: former };
  const reason = `${module}: ${stateText(status)}`;
  return ends[end].includes(status.state) ? doneIn(status.state, reason) : { kind: "waiting", reason };
}

/** Done when the Kyma is Ready (or Warning), each module of its spec has a status, and an operation is recorded. */
export function kymaProgress(kyma: Kyma, releases: readonly ModuleReleaseMeta[]): Progress {
  const { state = "", modules = [] } = kyma.status ?? {};
  const former = modules.map((module) => formerVersion(kyma, module, releases)).find((text) => text !== undefined);
  if (former !== undefined) return { kind: "waiting", reason: former };
  const why = openReason(kyma);
  if (isComplete(kyma) && (state === "Ready" || state === "Warning")) return doneIn(state, why);
  return { kind: "waiting", reason: `Kyma is ${state || "new"}${why === "" ? "" : `, ${why}`}` };
}

/** Says that a module is Ready in another version than is released; undefined when that is not so. */
function formerVersion(
  { spec }: Kyma,
  { name, state, version = "", maintenance }: ModuleStatus,
  releases: readonly ModuleReleaseMeta[],
): string | undefined {
  const listed = spec.modules?.find((module) => module.name === name);
  const wanted = listed === undefined ? undefined : releasedVersion(listed, spec.channel, releases);
  if (state !== "Ready" || wanted === undefined || wanted === version) return undefined;
  return `${name}: ${version} runs, ${wanted} ${maintenance ? "waits for its maintenance window" : "is released"}`;
}

function isComplete(kyma: Kyma): boolean {
  const { modules = [], lastOperation } = kyma.status ?? {};
  return isObserved(kyma) && modules.length === (kyma.spec.modules ?? []).length && lastOperation !== undefined;
}

function openReason({ status }: Kyma): string {
  const culprit = status?.modules?.find((module) => module.state !== "Ready");
  return culprit === undefined ? (status?.lastOperation?.operation ?? "") : `${culprit.name} is ${stateText(culprit)}`;
}

const stateText = ({ state, message }: ModuleStatus): string => `${state || "new"}${message ? `, ${message}` : ""}`;

function doneIn(state: State, reason: string): Progress {
  return { kind: "done", state, ...(state === "Warning" ? { reason } : {}) };
}

/**
 * False while the status speaks of an older spec. On a runtime the status is a copy of the control plane's, whose
 * generations say nothing about this object.
 */
function isObserved(kyma: Kyma): boolean {
  const { metadata, status } = kyma;
  return (
    isOfRuntime(kyma) ||
    (status?.conditions ?? []).every(({ observedGeneration = 0 }) => observedGeneration >= (metadata.generation ?? 0))
  );
}
