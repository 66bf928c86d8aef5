/** Something that took effect at one moment between two others, or perhaps never. */
export interface Step<State> {
  /** It took effect after this moment. */
  readonly invoked: number;
  /** It took effect before this moment. */
  readonly deadline: number;
  /** Whether it may never have taken effect. */
  readonly isOptional: boolean;
  /**
   * The state after it; `undefined` when this can't happen in that state.
   *
   * @param earliest - the moment after which it took effect in the order that is tried
   */
  apply(state: State, earliest: number): State | undefined;
}

/** Where a search for an order got no further. */
export interface DeadEnd<State> {
  readonly state: State;
  /** What had to come next, of which nothing fits. */
  readonly missing: readonly Step<State>[];
}

interface Point<State> {
  readonly state: State;
  /** The latest moment at which one of the steps so far was invoked. */
  readonly latest: number;
  readonly rest: readonly Step<State>[];
}

/**
 * Looks for one order of all steps that agrees with real time and with what each of them does to a state; answers the
 * place where the best attempt ended, or `undefined` when there is such an order.
 *
 * This is the search of Wing and Gong with Lowe's memory of the states that were tried.
 *
 * @param isEnd - whether the state may be the last one
 */
export function findDeadEnd<State>(
  steps: readonly Step<State>[],
  start: State,
  isEnd: (state: State) => boolean,
): DeadEnd<State> | undefined {
  const ids = new Map(steps.map((step, id) => [step, id]));
  const tried = new Set<string>();
  let best: Point<State> = { state: start, latest: Number.NEGATIVE_INFINITY, rest: steps };

  const reachesEnd = (point: Point<State>): boolean => {
    const { state, latest, rest } = point;
    if (isEnd(state) && rest.every(({ isOptional }) => isOptional)) return true;
    const key = JSON.stringify([state, latest, rest.map((step) => ids.get(step))]);
    if (tried.has(key)) return false;
    tried.add(key);
    if (rest.length < best.rest.length) best = point;
    return nextPoints(point).some(reachesEnd);
  };

  if (reachesEnd(best)) return undefined;
  return { state: best.state, missing: candidates(best).filter(({ isOptional }) => !isOptional) };
}

/** The steps that real time allows to be next. */
function candidates<State>({ latest, rest }: Point<State>): readonly Step<State>[] {
  const due = Math.min(...rest.filter(({ isOptional }) => !isOptional).map(({ deadline }) => deadline));
  return rest.filter(({ invoked, deadline }) => invoked < due && latest < deadline);
}

function nextPoints<State>(point: Point<State>): readonly Point<State>[] {
  return candidates(point).flatMap((step) => {
    const latest = Math.max(point.latest, step.invoked);
    const state = step.apply(point.state, latest);
    if (state === undefined) return [];
    return [{ state, latest, rest: point.rest.filter((other) => other !== step) }];
  });
}
