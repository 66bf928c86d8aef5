import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";
import type { History, HistoryLine, Operation, WatchedEvent } from "./history.ts";

export interface RecordOptions {
  /** How many histories one process writes at the same time. */
  readonly histories: number;
  readonly seed: number;
  /** The process is killed after so many lines of its output. */
  readonly killAfterLines: number;
}

/** Has clients write to a durable server, kills its process with SIGKILL, starts a server on what is left, and looks. */
export async function recordHistories(options: RecordOptions): Promise<readonly History[]> {
  const folder = await mkdtemp(join(tmpdir(), "histories-"));
  try {
    const lines = await killedWriter(folder, options);
    const server = await startApiServer({ listen: false, workload: false, dataDir: folder });
    try {
      const numbers = Array.from({ length: options.histories }, (_, index) => index);
      return await Promise.all(numbers.map((number) => historyOf(number, lines, server)));
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function killedWriter(
  folder: string,
  { histories, seed, killAfterLines }: RecordOptions,
): Promise<readonly HistoryLine[]> {
  const script = join(import.meta.dirname, "history-writer.ts");
  const args = ["--conditions=source", script, folder, String(histories), String(seed)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  let lines = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    lines += chunk.filter((byte) => byte === 10).length;
    if (lines > killAfterLines) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.once("close", resolve));
  const complete = Buffer.concat(chunks).toString().split("\n").slice(0, -1);
  return complete.map((line) => JSON.parse(line) as HistoryLine);
}

async function historyOf(number: number, lines: readonly HistoryLine[], server: ApiServer): Promise<History> {
  const operations = new Map<string, Operation>();
  const watched: WatchedEvent[] = [];
  for (const [moment, line] of lines.entries()) {
    if (line.history !== number) continue;
    if ("event" in line) watched.push(line.event);
    else if ("send" in line) operations.set(line.id, { ...line.send, invoked: moment });
    else operations.set(line.id, { ...sentBefore(operations, line.id), ...line.answer, answered: moment });
  }
  return { operations: [...operations.values()], watched, recovered: await recoveredIn(number, server) };
}

function sentBefore(operations: ReadonlyMap<string, Operation>, id: string): Operation {
  const sent = operations.get(id);
  if (sent === undefined) throw new Error(`an answer to ${id}, which was never sent`);
  return sent;
}

async function recoveredIn(number: number, { transport }: ApiServer): Promise<History["recovered"]> {
  const { body } = await transport({
    method: "GET",
    path: `/apis/coordination.k8s.io/v1/namespaces/h${number}/leases`,
  });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  const { items } = JSON.parse(Buffer.concat(parts).toString()) as {
    readonly items: readonly {
      readonly metadata: { readonly name: string; readonly resourceVersion: string };
      readonly spec: { readonly holderIdentity: string };
    }[];
  };
  return items.map(({ metadata, spec }) => ({
    object: metadata.name,
    version: Number(metadata.resourceVersion),
    value: spec.holderIdentity,
  }));
}
