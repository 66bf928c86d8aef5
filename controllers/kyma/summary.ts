import { textOf } from "@kyma-operators/errors";
import { timeText } from "@kyma-operators/kube";
import type { Kyma, KymaStatus, ModuleStatus } from "../../apis/operator/kyma.ts";
import type { LastOperation } from "../../apis/operator/object.ts";
import type { State } from "../../apis/operator/state.ts";
import { type Findings, type KymaFeatures, kymaConditions } from "../../modules/kyma-conditions.ts";
import { activeChannelOf, kymaState, operationOf } from "../../modules/kyma-state.ts";

/** What a pass found out about a Kyma. */
export interface PassResult {
  readonly modules: readonly ModuleStatus[];
  readonly findings: Findings;
  /** What ended the pass early, if anything. */
  readonly failure?: unknown;
}

/** The status after a pass. `kyma` carries the spec the pass worked with and the status it found. */
export function summarize(kyma: Kyma, result: PassResult, features: KymaFeatures, nowMs: number): KymaStatus {
  const now = timeText(nowMs);
  const { status = {}, metadata, spec } = kyma;
  const generation = metadata.generation ?? 0;
  const conditions = kymaConditions(features, result.findings, status.conditions ?? [], { generation, now });
  const modules = result.modules.map((module) => ({ ...module, maintenance: module.maintenance ?? false }));
  const state = result.failure === undefined ? kymaState(modules, conditions) : "Error";
  const activeChannel = activeChannelOf(state, spec.channel, status.activeChannel);
  return {
    state,
    ...(activeChannel === undefined ? {} : { activeChannel }),
    conditions,
    modules,
    lastOperation: operation(
      status,
      state,
      result.failure === undefined ? operationOf(state) : textOf(result.failure),
      now,
    ),
  };
}

/** The status of a Kyma that is on its way out: nothing is known about it any more, the modules keep their states. */
export function deletingStatus(kyma: Kyma, features: KymaFeatures, text: string, nowMs: number): KymaStatus {
  const { status = {}, metadata } = kyma;
  const now = timeText(nowMs);
  const stamp = { generation: metadata.generation ?? 0, now };
  return {
    ...status,
    state: "Deleting",
    conditions: kymaConditions(features, {}, status.conditions ?? [], stamp),
    lastOperation: operation(status, "Deleting", text, now),
  };
}

/** Time moves only with state or text, so that "since when" stays answerable and an unchanged status is not written. */
function operation(before: KymaStatus, state: State, text: string, now: string): LastOperation {
  const same = before.state === state && before.lastOperation?.operation === text;
  return { operation: text, lastUpdateTime: (same ? before.lastOperation?.lastUpdateTime : undefined) ?? now };
}
