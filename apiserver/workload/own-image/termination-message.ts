import { readPart } from "./mounts-files.ts";
import type { ContainerProcess, ProcessEnd } from "./system-process.ts";

/** What a kubelet takes of a log at most, whichever is less. */
const limitBytes = 2048;
const limitLines = 80;

/** A process whose failure brings the last lines of its log, as `FallbackToLogsOnError` asks for. */
export function withMessage(process: ContainerProcess, log: string): ContainerProcess {
  return { ...process, ended: process.ended.then((ended) => explained(ended, log, process.logStart)) };
}

async function explained(ended: ProcessEnd, log: string, from: number): Promise<ProcessEnd> {
  if (ended.exitCode === 0 || ended.message !== undefined) return ended;
  const { bytes } = await readPart(log, from, limitBytes);
  const message = lastLines(bytes);
  return message === "" ? ended : { ...ended, message };
}

/** The last lines of a log whose end was read; a character that was cut at the start is left out. */
export function lastLines(bytes: Uint8Array): string {
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  const text = new TextDecoder().decode(bytes.subarray(Math.max(first, 0)));
  return text
    .split(/(?<=\n)/)
    .slice(-limitLines)
    .join("");
}
