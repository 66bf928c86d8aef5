/** One request of one client in a recorded history, with its place in real time. */
export interface Operation {
  readonly kind: "create" | "update" | "delete" | "get";
  readonly object: string;
  /** Sequence number of the moment it was sent. */
  readonly invoked: number;
  /** Sequence number of the moment its answer came; absent when the server was killed before. */
  readonly answered?: number;
  readonly status?: number;
  /** What a write stores; unique. */
  readonly value?: string;
  /** The version that an update or a delete is based on. */
  readonly base?: number;
  /** The version in the answer; that of a delete is in no answer, but right after its base. */
  readonly version?: number;
  /** What a read saw. */
  readonly seen?: string;
}

/** One event of the watch that ran beside the clients. */
export interface WatchedEvent {
  readonly type: string;
  readonly object: string;
  readonly version: number;
  readonly value: string;
}

/** What clients saw of a few objects until the server was killed, and what was there when it came back. */
export interface History {
  readonly operations: readonly Operation[];
  /** From the first version on. */
  readonly watched: readonly WatchedEvent[];
  readonly recovered: readonly { readonly object: string; readonly version: number; readonly value: string }[];
}

/** One line of what clients and watch report while they run, in real time. */
export type HistoryLine = { readonly history: number } & (
  | { readonly event: WatchedEvent }
  | { readonly id: string; readonly send: Omit<Operation, "invoked" | "answered" | "status" | "version" | "seen"> }
  | { readonly id: string; readonly answer: Pick<Operation, "status" | "version" | "seen"> }
);

type Write = Operation & { readonly version: number; readonly answered: number };

const isWrite = ({ kind }: Operation): boolean => kind !== "get";
const wasDone = ({ status = 0 }: Operation): boolean => status >= 200 && status < 300;
const shown = (operation: Operation): string => JSON.stringify(operation);

/**
 * What is wrong with a history; empty when it could have happened one request after the other.
 *
 * The versions of the server give the order. It has to agree with real time (no write before one that was answered before
 * it was sent, no read of what is older or newer than real time allows), with the rules of each request (a create finds
 * nothing, an update finds its base), with the watch (each write once, in order), and with what a kill leaves: every write
 * that was answered, and none that nobody sent.
 */
export function historyProblems(history: History): readonly string[] {
  const done = history.operations.filter((operation) => isWrite(operation) && wasDone(operation));
  const writes = done.map((write) => withVersion(write, history)).toSorted((a, b) => a.version - b.version);
  const objects = new Set(history.operations.map(({ object }) => object));
  return [
    ...orderProblems(writes.filter(({ version }) => Number.isInteger(version))),
    ...watchProblems(history, writes),
    ...[...objects].flatMap((object) =>
      objectProblems(
        object,
        history,
        writes.filter((write) => write.object === object),
      ),
    ),
  ];
}

/** A delete took away what its base had stored: the watch tells when, unless it was killed before. */
function withVersion(write: Operation, { operations, watched }: History): Write {
  const { answered = 0, base = 0, kind, object, version = base + 0.5 } = write;
  const value = operations.find((other) => other.version === base && other.kind !== "get")?.value;
  const event = watched.find((one) => one.type === "DELETED" && one.object === object && one.value === value);
  return { ...write, answered, version: kind === "delete" ? (event?.version ?? version) : version };
}

function orderProblems(writes: readonly Write[]): readonly string[] {
  const problems: string[] = [];
  let latest: Write | undefined;
  for (const write of writes.toReversed()) {
    if (latest !== undefined && latest.answered < write.invoked) {
      problems.push(`${shown(write)} has a lower version than ${shown(latest)}, which was over before`);
    }
    if (latest?.version === write.version) problems.push(`two writes have version ${write.version}`);
    if (latest === undefined || write.answered < latest.answered) latest = write;
  }
  return problems;
}

/** All problems of one object; its writes are in order. */
function objectProblems(object: string, history: History, writes: readonly Write[]): readonly string[] {
  const operations = history.operations.filter((operation) => operation.object === object);
  const lost = operations.filter((operation) => isWrite(operation) && operation.answered === undefined);
  return [
    ...writes.flatMap((write, index) => stepProblems(write, writes[index - 1], lost)),
    ...operations
      .filter((one) => one.kind === "get" && one.answered !== undefined)
      .flatMap((read) => readProblems(read, writes, lost)),
    ...recoveryProblems(object, history, writes, lost),
  ];
}

/** A write whose answer never came may stand between any two others. */
function stepProblems(write: Write, before: Write | undefined, lost: readonly Operation[]): readonly string[] {
  if (lost.length > 0) return [];
  const exists = before !== undefined && before.kind !== "delete";
  if (write.kind === "create" ? exists : !exists) return [`${shown(write)} can't follow ${shown(before ?? write)}`];
  const isBased = write.kind === "create" || write.base === before?.version;
  return isBased ? [] : [`${shown(write)} is not based on ${shown(before ?? write)}`];
}

function readProblems(read: Operation, writes: readonly Write[], lost: readonly Operation[]): readonly string[] {
  const { answered = 0, seen, status } = read;
  if (status !== 200) return staleness(read, writes, undefined);
  const source = writes.find(({ value, kind }) => value === seen && kind !== "delete");
  if (source === undefined)
    return lost.some(({ value }) => value === seen) ? [] : [`${shown(read)} saw what nobody wrote`];
  if (source.invoked > answered) return [`${shown(read)} saw ${shown(source)} before it was sent`];
  return staleness(read, writes, source);
}

/** @param source - the write that the read saw; absent: it saw nothing */
function staleness(read: Operation, writes: readonly Write[], source: Write | undefined): readonly string[] {
  const { answered = 0, invoked } = read;
  const over = writes.filter((write) => write.version > (source?.version ?? 0) && write.answered < invoked);
  const missed = over.at(-1);
  const isFine = missed === undefined || (source === undefined && isGone(missed, writes, answered));
  return isFine ? [] : [`${shown(read)} missed ${shown(missed)}`];
}

/** Whether there may have been nothing although this write was over: it is a delete, or one was sent in time. */
function isGone(write: Write, writes: readonly Write[], answered: number): boolean {
  return writes.some(
    ({ kind, version, invoked }) => kind === "delete" && version >= write.version && invoked < answered,
  );
}

function watchProblems({ watched, operations }: History, writes: readonly Write[]): readonly string[] {
  const last = watched.at(-1)?.version ?? 0;
  const byVersion = new Map(watched.map((event) => [event.version, event]));
  const shouldShow = writes.filter(({ version }) => Number.isInteger(version) && version <= last);
  const versions = new Set(shouldShow.map(({ version }) => version));
  const unanswered = new Set(operations.filter(({ answered }) => answered === undefined).map(({ object }) => object));
  const unknown = watched.filter(({ version, object }) => !versions.has(version) && !unanswered.has(object));
  return [
    ...watched.flatMap(({ version }, index) => {
      const before = watched[index - 1]?.version ?? 0;
      return before < version ? [] : [`the watch went from ${before} to ${version}`];
    }),
    ...shouldShow.flatMap((write) => eventProblems(write, byVersion.get(write.version))),
    ...unknown.map((event) => `the watch shows ${JSON.stringify(event)}, which nobody wrote`),
  ];
}

function eventProblems(write: Write, event: WatchedEvent | undefined): readonly string[] {
  if (event === undefined) return [`the watch missed ${shown(write)}`];
  const isValue = write.kind === "delete" || event.value === write.value;
  const isIt = event.object === write.object && eventKind(event.type) === write.kind && isValue;
  return isIt ? [] : [`the watch shows ${JSON.stringify(event)} for ${shown(write)}`];
}

function eventKind(type: string): Operation["kind"] | undefined {
  if (type === "ADDED") return "create";
  if (type === "MODIFIED") return "update";
  return type === "DELETED" ? "delete" : undefined;
}

function recoveryProblems(
  object: string,
  { recovered }: History,
  writes: readonly Write[],
  lost: readonly Operation[],
): readonly string[] {
  const found = recovered.find((one) => one.object === object);
  const last = writes.at(-1);
  const kept = last?.kind === "delete" ? undefined : last;
  const isLast = found?.value === kept?.value && found?.version === kept?.version;
  if (isLast || isWriteOf(lost, found, last)) return [];
  return [`after the kill ${object} is ${JSON.stringify(found)}, the last answered write was ${JSON.stringify(last)}`];
}

/** Whether what was found is what one of the writes without an answer would have left. */
function isWriteOf(
  lost: readonly Operation[],
  found: History["recovered"][number] | undefined,
  last: Write | undefined,
): boolean {
  if (found === undefined) return lost.some(({ kind }) => kind === "delete");
  return found.version > (last?.version ?? 0) && lost.some(({ value }) => value === found.value);
}
