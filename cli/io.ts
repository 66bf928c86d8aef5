import type { Clock } from "@kyma-operators/kube";

/** Where a command writes. `isTTY` decides between live progress and plain lines. */
export interface Output {
  readonly isTTY: boolean;
  /** Width of the terminal, as it is now. */
  readonly columns?: number | undefined;
  write(text: string): void;
}

export interface FileEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
}

/** The files a command may touch; paths are resolved against `cwd`. Failures keep Node's codes (`ENOENT`, …). */
export interface Files {
  read(path: string): Promise<Uint8Array>;
  readText(path: string): Promise<string>;
  list(path: string): Promise<readonly FileEntry[]>;
  /** Follows links. Undefined when nothing is there. */
  kind(path: string): Promise<FileEntry["kind"] | undefined>;
  /** The path with every link resolved. */
  realpath(path: string): Promise<string>;
  /** Creates missing folders; replaces the file in one step. */
  write(path: string, data: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The part of the world that is there before any command is known. */
export interface Terminal {
  /** How this program is called from a shell, for commands in texts: `kyma`, or `npx kyma` in a clone. */
  readonly program: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

/** Everything a command knows of the world. Only `cmd/` makes one from the process. */
export interface Io extends Terminal {
  readonly cwd: string;
  readonly files: Files;
  readonly clock: Clock;
  /** All of standard input. */
  stdin(): Promise<Uint8Array>;
  /** The answer to a question of yes or no; undefined when nobody is there to answer. */
  confirm(question: string): Promise<boolean | undefined>;
}
