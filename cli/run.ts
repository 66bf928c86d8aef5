import { isAppError, redact, textOf } from "@kyma-operators/errors";
import type { CommanderError } from "commander";
import { nearestNames } from "../modules/nearest.ts";
import { type CommandEntry, type CommandFactory, ExitCode, exitCodes } from "./command.ts";
import { commands } from "./commands.ts";
import { groupHelp } from "./help.ts";
import type { Io, Terminal } from "./io.ts";

/**
 * Runs `kyma ARGS…` and answers the exit code. Never throws: a failure becomes one text on standard error that starts
 * with `Error: `, without a stack trace and without credentials.
 *
 * @param makeIo - called only when a command runs, so that help needs none of the code behind it.
 */
export async function startCli(
  args: readonly string[],
  terminal: Terminal,
  makeIo: () => Promise<Io>,
): Promise<number> {
  try {
    const found = await find(["kyma"], args, { entries: commands, terminal });
    if (found !== undefined) await execute(found, await makeIo());
    return exitCodes.ok;
  } catch (error) {
    return reportError(error, terminal);
  }
}

/** {@link startCli} with a world that is there already. */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  return startCli(args, io, async () => io);
}

interface Level {
  readonly entries: readonly CommandEntry[];
  readonly terminal: Terminal;
}

/** A command with its full name and its own arguments. */
interface Found {
  readonly make: CommandFactory;
  readonly path: readonly string[];
  readonly args: readonly string[];
}

/** Follows the words of the command line; undefined when help was asked for, which is printed. */
async function find(path: readonly string[], args: readonly string[], level: Level): Promise<Found | undefined> {
  const { entries, terminal } = level;
  const [name, ...rest] = args;
  if (name === "help" && rest.length > 0) return find(path, [...rest, "--help"], level);
  if (name === undefined || name === "-h" || name === "--help" || name === "help") {
    terminal.stdout.write(groupHelp(path, entries));
    return undefined;
  }
  const entry = entries.find((candidate) => candidate.name === (name === "--version" ? "version" : name));
  if (entry === undefined) throw unknownCommand(path, name, entries);
  const loaded = await entry.load();
  const own = [...path, entry.name];
  if (typeof loaded !== "function") return find(own, rest, { entries: loaded.commands, terminal });
  return { make: loaded, path: own, args: rest };
}

async function execute({ make, path, args }: Found, io: Io): Promise<void> {
  const command = make(io)
    .name(path.join(" "))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => undefined, // the text comes back as an error and is printed once, by reportError()
    });
  try {
    await command.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    if (error.exitCode !== 0) throw usageError(path, error); // else --help, which was printed
  }
}

function usageError(path: readonly string[], { message }: CommanderError): ExitCode {
  const text = message
    .replace(/^error: /, "")
    .replace(/\.$/, "")
    .replace(/\n\(Did you mean (.*)\)$/s, ": did you mean $1");
  const help = text.endsWith("?") ? "" : `; see "${path.join(" ")} --help"`;
  return new ExitCode(exitCodes.refused, text + help);
}

function unknownCommand(path: readonly string[], name: string, entries: readonly CommandEntry[]): ExitCode {
  if (name.startsWith("-")) {
    const text = `flags stand behind the command: "${path.join(" ")} COMMAND ${name}"`;
    return new ExitCode(exitCodes.refused, `${text}; run "${path.join(" ")} --help" for the list of commands`);
  }
  const [near] = nearestNames(
    name,
    entries.map((entry) => entry.name),
  );
  const hint = near === undefined ? `run "${path.join(" ")} --help" for the list` : `did you mean "${near}"?`;
  return new ExitCode(exitCodes.refused, `unknown command "${name}" for "${path.join(" ")}": ${hint}`);
}

/** Prints an error and answers the exit code for it. */
export function reportError(error: unknown, io: Terminal): number {
  const wanted = exitCodeIn(error);
  if (wanted !== undefined) {
    const text = error instanceof ExitCode ? error.message : textOf(error);
    if (text !== "") io.stderr.write(`Error: ${redact(text)}\n`);
    return wanted.code;
  }
  if (io.signal.aborted) return exitCodes.interrupted;
  return reportFailure(error, io);
}

/** The exit code that an error asks for, itself, as its cause or as one of several. */
function exitCodeIn(error: unknown): ExitCode | undefined {
  if (error instanceof ExitCode) return error;
  if (!Error.isError(error)) return undefined;
  const several = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return [error.cause, ...several].map(exitCodeIn).find((found) => found !== undefined);
}

const unreachable: ReadonlySet<string> = new Set(["KUBE_CONNECTION", "KUBE_DNS", "KUBE_TLS", "KUBE_TIMEOUT"]);

/** What is wrong with a flag although its form is right. */
const misuse: ReadonlySet<string> = new Set(["DEPLOY_VALUE_INVALID", "MODULE_FLAG"]);

function reportFailure(error: unknown, io: Terminal): number {
  const isUnreachable = isAppError(error) && unreachable.has(error.code);
  const hint = isUnreachable ? "; check --kubeconfig and --context, and that the cluster runs" : "";
  io.stderr.write(`Error: ${redact(fileProblem(error) ?? textOf(error))}${hint}\n`);
  if (io.env.KYMA_DEBUG === "1" && Error.isError(error)) io.stderr.write(`${redact(error.stack ?? "")}\n`);
  if (isUnreachable) return exitCodes.unreachable;
  return isAppError(error) && misuse.has(error.code) ? exitCodes.refused : exitCodes.error;
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "you may not read or write it",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is no folder",
};

/** What Node says of a file that the user named, as a sentence. */
function fileProblem(error: unknown): string | undefined {
  if (!Error.isError(error) || !("code" in error) || !("path" in error)) return undefined;
  const text = fileProblems[String(error.code)];
  return text === undefined ? undefined : `${String(error.path)}: ${text}`;
}

/** By shape, because commander is loaded only by the commands that need it. */
function isCommanderError(error: unknown): error is CommanderError {
  return (
    error instanceof Error && "exitCode" in error && "code" in error && String(error.code).startsWith("commander.")
  );
}
