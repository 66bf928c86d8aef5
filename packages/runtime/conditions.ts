/** One condition as Kubernetes writes it. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export type NewCondition<C extends Condition = Condition> = Omit<C, "lastTransitionTime">;

/**
 * Replaces the condition of the same type, or appends it.
 *
 * `lastTransitionTime` moves only when `status` changes; a new reason or message alone keeps it, so "how long has this
 * been False" stays answerable. Returns the same array when nothing differs, which lets callers skip a write with
 * `===`.
 *
 * @param now - passed in rather than read, so that a pass has one single time.
 */
export function setCondition<C extends Condition>(
  conditions: readonly C[],
  next: NewCondition<C>,
  now: string,
): readonly C[] {
  const index = conditions.findIndex((condition) => condition.type === next.type);
  const old = conditions[index];
  if (old === undefined) return [...conditions, { ...next, lastTransitionTime: now } as C];
  const lastTransitionTime = old.status === next.status ? old.lastTransitionTime : now;
  const replaced = { ...next, lastTransitionTime } as C;
  return isSame(old, replaced) ? conditions : conditions.with(index, replaced);
}

/** The condition of a type, if there is one. */
export function conditionOf<C extends Condition>(conditions: readonly C[], type: string): C | undefined {
  return conditions.find((condition) => condition.type === type);
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}
