import { isAppError, redact, textOf } from "@kyma-operators/errors";
import type { CommanderError } from "commander";
import { type CommandEntry, type CommandFactory, ExitCode, exitCodes } from "./command.ts";
import { commands } from "./commands.ts";
import { groupHelp, nearest } from "./help.ts";
import type { Io } from "./io.ts";

/**
 * Runs `kyma ARGS…` and answers the exit code. Never throws: a failure becomes one text on standard error that starts
 * with `Error: `, without a stack trace and without credentials.
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(["kyma"], args, { entries: commands, io });
  } catch (error) {
    return report(error, io);
  }
}

interface Level {
  readonly entries: readonly CommandEntry[];
  readonly io: Io;
}

async function dispatch(path: readonly string[], args: readonly string[], { entries, io }: Level): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "-h" || name === "--help" || name === "help") {
    io.stdout.write(groupHelp(path, entries));
    return exitCodes.ok;
  }
  const entry = entries.find((candidate) => candidate.name === (name === "--version" ? "version" : name));
  if (entry === undefined) throw unknownCommand(path, name, entries);
  const loaded = await entry.load();
  const own = [...path, entry.name];
  if (typeof loaded !== "function") return dispatch(own, rest, { entries: loaded.commands, io });
  return execute(loaded, own, { args: rest, io });
}

async function execute(
  make: CommandFactory,
  path: readonly string[],
  { args, io }: { readonly args: readonly string[]; readonly io: Io },
): Promise<number> {
  const command = make(io)
    .name(path.join(" "))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => undefined, // the text comes back as an error and is printed once, by report()
    });
  await command.parseAsync(args, { from: "user" });
  return exitCodes.ok;
}

function unknownCommand(path: readonly string[], name: string, entries: readonly CommandEntry[]): ExitCode {
  const near = nearest(
    name,
    entries.map((entry) => entry.name),
  );
  const hint = near === undefined ? `run "${path.join(" ")} --help" for the list` : `did you mean "${near}"?`;
  return new ExitCode(exitCodes.refused, `unknown command "${name}" for "${path.join(" ")}": ${hint}`);
}

function report(error: unknown, io: Io): number {
  if (error instanceof ExitCode) {
    if (error.message !== "") io.stderr.write(`Error: ${redact(error.message)}\n`);
    return error.code;
  }
  if (io.signal.aborted) return exitCodes.interrupted;
  return isCommanderError(error) ? reportUsage(error, io) : reportFailure(error, io);
}

const unreachable: ReadonlySet<string> = new Set(["KUBE_CONNECTION", "KUBE_DNS", "KUBE_TLS", "KUBE_TIMEOUT"]);

function reportFailure(error: unknown, io: Io): number {
  io.stderr.write(`Error: ${redact(textOf(error))}\n`);
  if (io.env.KYMA_DEBUG === "1" && Error.isError(error)) io.stderr.write(`${redact(error.stack ?? "")}\n`);
  return isAppError(error) && unreachable.has(error.code) ? exitCodes.unreachable : exitCodes.error;
}

function reportUsage(error: CommanderError, io: Io): number {
  if (error.exitCode === 0) return exitCodes.ok; // --help, --version: printed already
  io.stderr.write(`Error: ${error.message.replace(/^error: /, "")}\n`);
  return exitCodes.refused;
}

/** By shape, because commander is loaded only by the commands that need it. */
function isCommanderError(error: unknown): error is CommanderError {
  return (
    error instanceof Error && "exitCode" in error && "code" in error && String(error.code).startsWith("commander.")
  );
}
