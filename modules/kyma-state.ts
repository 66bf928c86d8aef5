import type { State } from "../apis/operator/state.ts";

interface HasState {
  readonly state: State;
}

/** True when every module runs, or is none of our business. */
export function areModulesReady(modules: readonly HasState[]): boolean {
  return modules.every(({ state }) => state === "Ready" || state === "Unmanaged");
}

/**
 * State of a Kyma after a pass without failure, from its modules and conditions. Modules in another state than Error,
 * Warning and Processing count only through the condition `Modules`.
 */
export function kymaState(modules: readonly HasState[], conditions: readonly { readonly status: string }[]): State {
  for (const state of ["Error", "Warning", "Processing"] as const) {
    if (modules.some((module) => module.state === state)) return state;
  }
  return conditions.every(({ status }) => status === "True") ? "Ready" : "Processing";
}

/** `lastOperation` of a Kyma in a state that follows from its modules and conditions. */
export function operationOf(state: State): string {
  return state === "Ready" ? "kyma is ready" : "waiting for all modules to become ready";
}

/** The channel that was last reached; it moves only when the Kyma is usable. */
export function activeChannelOf(state: State, wanted: string, former: string | undefined): string | undefined {
  return state === "Ready" || state === "Warning" ? wanted : former;
}
