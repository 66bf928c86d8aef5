/** One request. `{ns}` in texts is the case's own namespace; `{name}` is a value that an earlier step saved. */
export interface RequestStep {
  /** For example `POST /api/v1/namespaces/{ns}/configmaps`. */
  readonly request: string;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
  /** Content type; JSON when there is a body. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values to keep from the answer: name → dotted path. */
  readonly save?: Readonly<Record<string, string>>;
  /** Only these parts of the answer are compared; absent: all of it. */
  readonly only?: readonly string[];
}

/** Opens a watch that later steps read from. */
export interface WatchStep {
  readonly watch: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Waits for so many events of a watch and compares them. */
export interface EventsStep {
  readonly events: string;
  readonly count: number;
}

/** Asks until the answer holds these parts. */
export interface UntilStep {
  /** A path to GET, or a method and a path. */
  readonly until: string;
  readonly body?: unknown;
  /** A part of the answer's body, or the status code that is waited for. */
  readonly holds?: unknown;
  readonly status?: number;
}

export type Step = RequestStep | WatchStep | EventsStep | UntilStep;

/** Behaviour of a Kubernetes API server: requests in order, whose answers are on record. */
export interface ConformanceCase {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** What one step gave, with everything that differs from run to run replaced. */
export interface Answer {
  readonly status?: number;
  readonly warnings?: readonly string[];
  readonly body?: unknown;
  readonly events?: readonly unknown[];
}
