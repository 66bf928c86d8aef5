import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";
import type { History, HistoryLine, Life, Operation, Recovery, WatchedEvent } from "./history-types.ts";

export interface RecordOptions {
  /** How many histories one process writes at the same time. */
  readonly histories: number;
  readonly seed: number;
  /** The process is killed after so many lines of its output; then the next life begins on what it left. */
  readonly killAfterLines: readonly number[];
}

/**
 * Has clients write to a durable server, kills its process with SIGKILL, starts a server on what is left, and looks; then
 * goes on with the next life. Throws for a process that ends by itself, or in which nobody asked for anything: a history
 * of it would prove nothing.
 */
export async function recordHistories(options: RecordOptions): Promise<readonly History[]> {
  const folder = await mkdtemp(join(tmpdir(), "histories-"));
  const numbers = Array.from({ length: options.histories }, (_, index) => index);
  const lives: (readonly Life[])[] = [];
  let begin = 0;
  try {
    for (const [life, lineLimit] of options.killAfterLines.entries()) {
      const { histories, seed } = options;
      const lines = await killedWriter([folder, histories, seed, life].map(String), lineLimit);
      const recovered = await recoveredFrom(folder, numbers);
      const from = begin;
      const killed = from + lines.length;
      lives.push(numbers.map((number) => ({ ...lifeOf(number, lines, from), killed, recovered: recovered(number) })));
      begin = killed + 2;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return numbers.map((number) => lives.flatMap((life) => life[number] ?? []));
}

async function killedWriter(args: readonly string[], lineLimit: number): Promise<readonly HistoryLine[]> {
  const script = join(import.meta.dirname, "history-writer.ts");
  const child = spawn(process.execPath, ["--conditions=source", script, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  let lines = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    lines += chunk.filter((byte) => byte === 10).length;
    if (lines > lineLimit) child.kill("SIGKILL");
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (signal !== "SIGKILL")
    throw new Error(`the writer ended by itself (${signal ?? `exit code ${code}`}), not by the kill`);
  const complete = Buffer.concat(chunks).toString().split("\n").slice(0, -1);
  const said = complete.map((line) => JSON.parse(line) as HistoryLine);
  if (!said.some((line) => "send" in line)) throw new Error(`the writer sent no request within ${said.length} lines`);
  return said;
}

/** @param begin - the moment of the first line */
function lifeOf(number: number, lines: readonly HistoryLine[], begin: number): Pick<Life, "operations" | "watched"> {
  const operations = new Map<string, Operation>();
  const watched: WatchedEvent[] = [];
  for (const [index, line] of lines.entries()) {
    const moment = begin + index;
    if (line.history !== number) continue;
    if ("event" in line) watched.push({ ...line.event, moment });
    else if ("send" in line) operations.set(line.id, { ...line.send, invoked: moment });
    else operations.set(line.id, { ...sentBefore(operations, line.id), ...line.answer, answered: moment });
  }
  return { operations: [...operations.values()], watched };
}

function sentBefore(operations: ReadonlyMap<string, Operation>, id: string): Operation {
  const sent = operations.get(id);
  if (sent === undefined) throw new Error(`an answer to ${id}, which was never sent`);
  return sent;
}

async function recoveredFrom(folder: string, numbers: readonly number[]): Promise<(number: number) => Recovery> {
  const server = await startApiServer({ listen: false, workload: false, dataDir: folder });
  try {
    const found = await Promise.all(numbers.map((number) => listed(number, server)));
    return (number) => found[number] ?? { version: 0, objects: [] };
  } finally {
    await server.stop();
  }
}

async function listed(number: number, { transport }: ApiServer): Promise<Recovery> {
  const { body } = await transport({
    method: "GET",
    path: `/apis/coordination.k8s.io/v1/namespaces/h${number}/leases`,
  });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  const { metadata, items } = JSON.parse(Buffer.concat(parts).toString()) as {
    readonly metadata: { readonly resourceVersion: string };
    readonly items: readonly {
      readonly metadata: { readonly name: string; readonly resourceVersion: string };
      readonly spec: { readonly holderIdentity: string };
    }[];
  };
  return {
    version: Number(metadata.resourceVersion),
    objects: items.map(({ metadata: { name, resourceVersion }, spec }) => ({
      object: name,
      version: Number(resourceVersion),
      value: spec.holderIdentity,
    })),
  };
}
