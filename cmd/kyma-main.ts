import { exitCodes } from "../cli/command.ts";
import type { Terminal } from "../cli/io.ts";
import { startCli } from "../cli/run.ts";

/** A command that does not end by itself after Ctrl-C is ended. */
const graceMs = 8_000;

const interrupt = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => {
    interrupt.abort(new Error(`interrupted by ${name}`));
    setTimeout(() => process.exit(exitCodes.interrupted), graceMs).unref();
  });
}

// A closed pipe (`kyma … | head`) is the reader's choice, not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
});

const terminal: Terminal = {
  program: process.argv[1]?.endsWith(".js") === true ? "npx kyma" : "kyma",
  stdout: {
    isTTY: Boolean(process.stdout.isTTY),
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
