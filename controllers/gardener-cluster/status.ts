import { timeText } from "@kyma-operators/kube";
import { setCondition } from "@kyma-operators/runtime";
import {
  type GardenerCluster,
  type GardenerClusterReason,
  type GardenerClusterStatus,
  gardenerClusterReasons,
  kubeconfigCondition,
} from "../../apis/infrastructure/index.ts";

const reasons = gardenerClusterReasons;

const texts: Readonly<Record<GardenerClusterReason, string>> = {
  [reasons.created]: "Secret created successfully.",
  [reasons.rotated]: "Secret rotated successfully.",
  [reasons.fetchFailed]: "Failed to get kubeconfig.",
  [reasons.checkFailed]: "Failed to get secret.",
  [reasons.createFailed]: "Failed to create secret.",
  [reasons.updateFailed]: "Failed to rotate secret.",
  [reasons.deleteFailed]: "Unknown condition",
};

const good: ReadonlySet<GardenerClusterReason> = new Set([reasons.created, reasons.rotated]);

/** The status after a step that ended for this reason; `lastTransitionTime` moves only with the condition's status. */
export function statusFor(
  { status, metadata }: GardenerCluster,
  outcome: { readonly reason: GardenerClusterReason; readonly cause?: string },
  now: number,
): GardenerClusterStatus {
  const { reason, cause } = outcome;
  const isGood = good.has(reason);
  const message = cause === undefined ? texts[reason] : `${texts[reason]} Error: ${cause}`;
  const { generation } = metadata;
  const condition = {
    type: kubeconfigCondition,
    status: isGood ? "True" : "False",
    reason,
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  } as const;
  return {
    ...status,
    state: isGood ? "Ready" : "Error",
    conditions: setCondition(status?.conditions ?? [], condition, timeText(now)),
  };
}

/** True when the status says already that there is a fresh kubeconfig. */
export function saysReady({ status }: GardenerCluster): boolean {
  return (
    status?.state === "Ready" &&
    status.conditions?.some(({ reason }) => good.has(reason as GardenerClusterReason)) === true
  );
}
