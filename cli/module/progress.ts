import type { Kyma } from "../../apis/operator/kyma.ts";
import type { State } from "../../apis/operator/state.ts";

/** How far one module, or the whole Kyma, is. */
export type Progress =
  | { readonly kind: "done"; readonly state: State }
  | { readonly kind: "waiting"; readonly reason: string };

/** Ready and Warning end the wait for a module, Unmanaged that for one that is left alone. */
export function moduleProgress(kyma: Kyma, module: string, goal: "installed" | "unmanaged" = "installed"): Progress {
  const status = kyma.status?.modules?.find(({ name }) => name === module);
  if (status === undefined || !isObserved(kyma)) return { kind: "waiting", reason: `${module}: not looked at yet` };
  const ends: readonly State[] = goal === "installed" ? ["Ready", "Warning"] : ["Unmanaged"];
  if (ends.includes(status.state)) return { kind: "done", state: status.state };
  return {
    kind: "waiting",
    reason: `${module}: ${status.state || "new"}${status.message ? `, ${status.message}` : ""}`,
  };
}

/** Done when the Kyma is Ready (or Warning), each module of its spec has a status, and an operation is recorded. */
export function kymaProgress(kyma: Kyma): Progress {
  const { state = "" } = kyma.status ?? {};
  if (isComplete(kyma) && (state === "Ready" || state === "Warning")) return { kind: "done", state };
  const why = openReason(kyma);
  return { kind: "waiting", reason: `Kyma is ${state || "new"}${why === "" ? "" : `, ${why}`}` };
}

function isComplete(kyma: Kyma): boolean {
  const { modules = [], lastOperation } = kyma.status ?? {};
  return isObserved(kyma) && modules.length === (kyma.spec.modules ?? []).length && lastOperation !== undefined;
}

function openReason({ status }: Kyma): string {
  const culprit = status?.modules?.find((module) => module.state !== "Ready");
  return culprit === undefined
    ? (status?.lastOperation?.operation ?? "")
    : `${culprit.name} is ${culprit.state || "new"}`;
}

/**
 * False while the status speaks of an older spec. On a runtime the status is a copy of the control plane's, whose
 * generations say nothing about this object.
 */
function isObserved({ metadata, status }: Kyma): boolean {
  const copied = metadata.namespace === "kyma-system" && metadata.name === "default";
  return (
    copied ||
    (status?.conditions ?? []).every(({ observedGeneration = 0 }) => observedGeneration >= (metadata.generation ?? 0))
  );
}
