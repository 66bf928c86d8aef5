import type { Files, Io } from "./io.ts";

/** An {@link Io} over memory: what was written is read back with `out` and `err`. */
export interface FakeIo extends Io {
  out(): string;
  err(): string;
}

export interface FakeIoOptions {
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** To every question; absent when nobody is there. */
  readonly answer?: boolean;
  /** Whether output is shown on a terminal. */
  readonly isTTY?: boolean;
}

const noFiles = new Proxy({} as Files, {
  get: (_, method) => async () => {
    throw Object.assign(new Error(`ENOENT: ${String(method)}: this test has no files`), { code: "ENOENT" });
  },
});

/** The world of a command in a test: no terminal, no files unless given, time that stands still. */
export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const out: string[] = [];
  const err: string[] = [];
  return {
    program: "kyma",
    stdout: { isTTY: options.isTTY ?? false, write: (text) => void out.push(text) },
    stderr: { isTTY: false, write: (text) => void err.push(text) },
    env: options.env ?? {},
    cwd: "/",
    files: options.files ?? noFiles,
    clock: { now: () => 0, sleep: async () => undefined, after: () => () => undefined },
    signal: options.signal ?? new AbortController().signal,
    confirm: async (question) => {
      if (options.answer !== undefined) err.push(question);
      return options.answer;
    },
    stdin: async () => new TextEncoder().encode(options.stdin ?? ""),
    out: () => out.join(""),
    err: () => err.join(""),
  };
}
