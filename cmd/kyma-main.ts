import { writeSync } from "node:fs";
import { exitCodes } from "../cli/command.ts";
import type { Terminal } from "../cli/io.ts";
import { startCli } from "../cli/run.ts";
import { endOnCrash } from "./crash.ts";

endOnCrash((text) => void writeSync(process.stderr.fd, `${text}\n`));

/** A command that does not end by itself after Ctrl-C is ended. */
const graceMs = 8_000;
/** A signal that comes again at once was sent once: wrappers hand on what the whole process group got. */
const echoMs = 500;

const interrupt = new AbortController();
const end = (): never => process.exit(exitCodes.interrupted);
let firstMs: number | undefined;
const onSignal = (name: string): void => {
  const nowMs = performance.now();
  if (firstMs !== undefined && nowMs - firstMs >= echoMs) end();
  if (firstMs !== undefined) return;
  firstMs = nowMs;
  interrupt.abort(new Error(`interrupted by ${name}`));
  setTimeout(end, graceMs).unref();
};
process.on("SIGINT", onSignal).on("SIGTERM", onSignal);

// A closed pipe (`kyma … | head`) is the reader's choice, not a failure; a full disk is one.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`Error: standard output can't be written: ${error.message}\n`);
  process.exit(exitCodes.error);
});
process.stderr.on("error", () => undefined); // nobody is left to tell

/** A terminal that can't move its cursor is written to like a file. */
const isTerminal = ({ isTTY }: NodeJS.WriteStream): boolean => isTTY && process.env["TERM"] !== "dumb";

const terminal: Terminal = {
  program: process.argv[1]?.endsWith(".js") === true ? "npx kyma" : "kyma",
  stdout: {
    isTTY: isTerminal(process.stdout),
    get columns() {
      return process.stdout.columns;
    },
    write: (text) => void process.stdout.write(text),
  },
  stderr: { isTTY: Boolean(process.stderr.isTTY), write: (text) => void process.stderr.write(text) },
  env: process.env,
  signal: interrupt.signal,
};

process.exitCode = await startCli(process.argv.slice(2), terminal, async () => {
  const { ioOf } = await import("./kyma-io.ts");
  return ioOf(terminal);
});
