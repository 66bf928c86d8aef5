import type { Command } from "commander";
import type { Io } from "./io.ts";

/**
 * One command of `kyma`. `load` is called only when the command runs, so that `kyma --help` and every other command
 * start without its code.
 */
export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands, lower case, without a full stop. */
  readonly summary: string;
  /** The command; its action throws on failure and may throw an {@link ExitCode} to end with another code than 0. */
  readonly load: () => Promise<CommandFactory | CommandGroup>;
}

export type CommandFactory = (io: Io) => Command;

/** A command that only has sub-commands, for example `kyma module`. */
export interface CommandGroup {
  readonly commands: readonly CommandEntry[];
}

/** Exit codes are a contract; `exit-codes.ts` says what each means. */
export const exitCodes = {
  ok: 0,
  error: 1,
  warning: 2,
  timeout: 3,
  refused: 4,
  unreachable: 5,
  interrupted: 130,
} as const;

/** Ends a command with a code. What the user should read has been printed, or stands in `message`. */
export class ExitCode extends Error {
  override readonly name = "ExitCode";
  readonly code: number;

  constructor(code: number, message = "") {
    super(message);
    this.code = code;
  }
}
