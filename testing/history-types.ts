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
  /** The version in the answer; that of a delete is in no answer. */
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
  /** Sequence number of the moment it came. */
  readonly moment: number;
}

/** What clients saw of a few objects until the server was killed, and what was there when it came back. */
export interface Life {
  readonly operations: readonly Operation[];
  /** All events from before the first operation until the kill. */
  readonly watched: readonly WatchedEvent[];
  /** Sequence number of the moment of the kill. */
  readonly killed: number;
  readonly recovered: Recovery;
}

/** A list of all objects. */
export interface Recovery {
  readonly version: number;
  readonly objects: readonly { readonly object: string; readonly version: number; readonly value: string }[];
}

/** The lives of one store, one after the other. */
export type History = readonly Life[];

/** One line of what clients and watch report while they run, in real time. */
export type HistoryLine = { readonly history: number } & (
  | { readonly event: Omit<WatchedEvent, "moment"> }
  | { readonly id: string; readonly send: Omit<Operation, "invoked" | "answered" | "status" | "version" | "seen"> }
  | { readonly id: string; readonly answer: Pick<Operation, "status" | "version" | "seen"> }
);
