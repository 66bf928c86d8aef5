import type { History, Life, Operation, Recovery, WatchedEvent } from "./history-types.ts";
import { type DeadEnd, findDeadEnd, type Step } from "./linearization.ts";

/** One object in a store, and how much of the watch is explained. */
interface State {
  /** Absent: there is no such object. */
  readonly value?: string | undefined;
  /** That of the last change; absent when nobody ever saw it. */
  readonly version?: number | undefined;
  /** The lowest version that the last change can have. */
  readonly floor: number;
  /** How many events of the watch are those of the changes so far. */
  readonly shown: number;
}

interface Facts {
  readonly object: string;
  /** The events of the object in all lives. */
  readonly events: readonly WatchedEvent[];
  /** The version that somebody saw a value with. */
  readonly versions: ReadonlyMap<string, number>;
}

interface ObjectStep extends Step<State> {
  readonly what: string;
}

/** Why no order of the requests for one object explains all that was seen; `undefined` when there is one. */
export function objectProblem(object: string, history: History): string | undefined {
  const facts = factsOf(object, history);
  const steps = history.flatMap((life) => stepsOf(life, facts));
  const end = findDeadEnd<State>(steps, { floor: 0, shown: 0 }, ({ shown }) => shown === facts.events.length);
  return end === undefined ? undefined : problemText(facts, end as DeadEnd<State> & { missing: readonly ObjectStep[] });
}

function problemText(
  { object, events }: Facts,
  { state, missing }: { readonly state: State; readonly missing: readonly ObjectStep[] },
): string {
  const event = events[state.shown];
  const steps = missing.map(({ what }) => what);
  const open = event === undefined ? steps : [...steps, `event ${JSON.stringify(event)}`];
  return `${object} can't go on from ${JSON.stringify(state)} with any of ${open.join(", ")}`;
}

function factsOf(object: string, history: History): Facts {
  const ofObject = <T extends { readonly object: string }>(all: readonly T[]): readonly T[] =>
    all.filter((one) => one.object === object);
  const events = history.flatMap(({ watched }) => ofObject(watched));
  const versions = new Map<string, number>();
  const saw = (value: string | undefined, version: number | undefined): void => {
    if (value !== undefined && version !== undefined) versions.set(value, version);
  };
  for (const { operations, recovered } of history) {
    for (const { value, seen = value, version } of ofObject(operations)) saw(seen, version);
    for (const { value, version } of ofObject(recovered.objects)) saw(value, version);
  }
  for (const { type, value, version } of events) if (type !== "DELETED") saw(value, version);
  return { object, events, versions };
}

function stepsOf({ operations, watched, killed, recovered }: Life, facts: Facts): readonly ObjectStep[] {
  const watchedUpTo = watched.at(-1)?.version ?? 0;
  return [
    ...operations
      .filter(({ object, kind, answered }) => object === facts.object && (kind !== "get" || answered !== undefined))
      .map((operation) => ({
        invoked: operation.invoked,
        deadline: operation.answered ?? killed,
        isOptional: operation.answered === undefined,
        apply: (state: State, earliest: number) =>
          applyOperation(operation, state, { ...facts, watchedUpTo, earliest }),
        what: JSON.stringify(operation),
      })),
    {
      invoked: killed,
      deadline: killed + 1,
      isOptional: false,
      apply: (state: State) => recover(recovered, state, facts),
      what: `after the kill ${JSON.stringify(recovered)}`,
    },
  ];
}

function recover({ version, objects }: Recovery, state: State, { object }: Facts): State | undefined {
  const found = objects.find((one) => one.object === object);
  const isIt = found === undefined || found.version === state.version;
  return isIt && found?.value === state.value && version >= state.floor ? { ...state, floor: version } : undefined;
}

interface Situation extends Facts {
  /** The version up to which the watch showed every change of this life. */
  readonly watchedUpTo: number;
  readonly earliest: number;
}

/** What an answer says of the object at its moment, by kind of request and status. */
const refusals: Readonly<Record<string, (operation: Operation, state: State) => boolean>> = {
  "get 200": ({ seen, version }, state) => state.value === seen && state.version === version,
  "get 404": (_, { value }) => value === undefined,
  "create 409": (_, { value }) => value !== undefined,
  "update 409": ({ base }, { value, version }) => value !== undefined && version !== base,
  // A new object must not have a version.
  "update 500": (_, { value }) => value === undefined,
  "delete 409": ({ base }, { value, version }) => value !== undefined && version !== base,
  "delete 404": (_, { value }) => value === undefined,
};

const successes = new Set(["create 201", "update 200", "delete 200"]);

function applyOperation(operation: Operation, state: State, situation: Situation): State | undefined {
  const answer = `${operation.kind} ${operation.status}`;
  if (refusals[answer]?.(operation, state) === true) return state;
  const isWrite = operation.answered === undefined || successes.has(answer);
  return isWrite && isPossible(operation, state) ? written(operation, state, situation) : undefined;
}

function isPossible({ kind, base }: Operation, { value, version }: State): boolean {
  return kind === "create" ? value === undefined : value !== undefined && version === base;
}

const eventTypes = { create: "ADDED", update: "MODIFIED", delete: "DELETED", get: "" };

/** The state after a write, which the watch shows next, or which came after the last event before the kill. */
function written(operation: Operation, state: State, situation: Situation): State | undefined {
  const { kind, value } = operation;
  const event = nextEvent(kind, value ?? state.value, { events: situation.events, shown: state.shown });
  const version = versionOf(operation, event, situation);
  const { floor, shown } =
    event === undefined ? hidden(state, situation) : { floor: state.floor, shown: state.shown + 1 };
  const isLate = version !== undefined && version <= floor;
  if (isLate || !isShownBy(event, version, situation)) return undefined;
  return { value, version, floor: version ?? floor + 1, shown };
}

function nextEvent(
  kind: Operation["kind"],
  value: string | undefined,
  { events, shown }: { readonly events: readonly WatchedEvent[]; readonly shown: number },
): WatchedEvent | undefined {
  const next = events[shown];
  return next?.type === eventTypes[kind] && next.value === value ? next : undefined;
}

function versionOf(
  { value, version }: Operation,
  event: WatchedEvent | undefined,
  { versions }: Facts,
): number | undefined {
  return version ?? event?.version ?? versions.get(value ?? "");
}

/** The watch did not show the write, so it came after all that the watch did show. */
function hidden({ floor, shown }: State, { watchedUpTo }: Situation): Pick<State, "floor" | "shown"> {
  return { floor: Math.max(floor, watchedUpTo), shown };
}

function isShownBy(event: WatchedEvent | undefined, version: number | undefined, { earliest }: Situation): boolean {
  return event === undefined || (event.version === version && event.moment > earliest);
}
