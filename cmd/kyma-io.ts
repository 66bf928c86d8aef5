import { createInterface } from "node:readline/promises";
import { systemClock } from "@kyma-operators/clock";
import type { Io, Terminal } from "../cli/io.ts";
import { systemFiles } from "../cli/system-files.ts";

/** The world of this process. */
export function ioOf(terminal: Terminal): Io {
  const cwd = process.cwd();
  return {
    ...terminal,
    cwd,
    files: systemFiles(cwd),
    clock: systemClock,
    stdin: readStdin,
    confirm: (question) => confirm(terminal, question),
  };
}

/** Asks until the answer is one of y, yes, n and no; the end of input and an empty line mean no. */
async function confirm({ stderr, signal }: Terminal, question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !stderr.isTTY) return undefined;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  prompt.once("close", () => ended.abort());
  // On a terminal in raw mode Ctrl-C is a key like any other.
  prompt.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    for (;;) {
      const options = { signal: AbortSignal.any([signal, ended.signal]) };
      const answer = (await prompt.question(`${question} [y/N]: `, options)).trim().toLowerCase();
      if (["y", "yes"].includes(answer)) return true;
      if (["", "n", "no"].includes(answer)) return false;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (ended.signal.aborted) return false;
    throw error;
  } finally {
    prompt.close();
  }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
