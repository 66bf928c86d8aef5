import { systemClock } from "@kyma-operators/clock";
import type { Io, Terminal } from "../cli/io.ts";
import { systemFiles } from "../cli/system-files.ts";

/** The world of this process. */
export function ioOf(terminal: Terminal): Io {
  const cwd = process.cwd();
  return { ...terminal, cwd, files: systemFiles(cwd), clock: systemClock, stdin: readStdin };
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
