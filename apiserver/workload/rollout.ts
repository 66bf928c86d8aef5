/** Counts of one rollout at one moment. */
export interface RolloutState {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** Replicas that the new ReplicaSet asks for now. */
  readonly newReplicas: number;
  readonly newAvailable: number;
  /** The older ReplicaSets, oldest first. */
  readonly old: readonly { readonly replicas: number; readonly available: number }[];
}

/** How many replicas each ReplicaSet should ask for next. */
export interface RolloutPlan {
  readonly newReplicas: number;
  readonly oldReplicas: readonly number[];
}

/** A count or a share: `3`, `25%`. */
export function resolveShare(value: unknown, total: number, round: (share: number) => number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(typeof value === "string" ? value : "")?.[1];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}

/**
 * The next step of a rolling update: never more than `replicas + maxSurge` Pods, never fewer available than
 * `replicas - maxUnavailable`. Old Pods that are not available go first, they are missed by nobody.
 */
export function planRollout(state: RolloutState): RolloutPlan {
  const oldTotal = sum(state.old.map(({ replicas }) => replicas));
  const room = state.replicas + state.maxSurge - oldTotal - state.newReplicas;
  const newReplicas =
    state.newReplicas > state.replicas
      ? state.replicas
      : Math.min(state.replicas, state.newReplicas + Math.max(0, room));
  return { newReplicas, oldReplicas: shrinkOld(state, oldTotal) };
}

function shrinkOld(state: RolloutState, oldTotal: number): readonly number[] {
  const minAvailable = state.replicas - state.maxUnavailable;
  const newUnavailable = state.newReplicas - state.newAvailable;
  let removable = Math.max(0, oldTotal + state.newReplicas - minAvailable - newUnavailable);
  const unhealthy = state.old.map(({ replicas, available }) => {
    const cut = Math.min(removable, Math.max(0, replicas - available));
    removable -= cut;
    return replicas - cut;
  });
  const available = sum(state.old.map((set) => set.available)) + state.newAvailable;
  let spare = Math.max(0, Math.min(removable, available - minAvailable));
  return unhealthy.map((replicas) => {
    const cut = Math.min(spare, replicas);
    spare -= cut;
    return replicas - cut;
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
