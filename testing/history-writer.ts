/**
 * `history-writer.ts FOLDER HISTORIES SEED LIFE`: clients that write to an API server with a data directory until the process
 * is killed. Each line of the output is an operation that was sent, an answer, or an event of a watch.
 */
import { writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { startApiServer } from "../apiserver/index.ts";
import type { HistoryLine } from "./history-types.ts";
import { SeededRandom } from "./seeded-random.ts";

const [folder = "", count = "1", seed = "1", life = "0"] = process.argv.slice(2);
const server = await startApiServer({ listen: false, workload: false, dataDir: folder });
const clients = 3;

/** The moment a line is out is the moment that counts: writing it waits for the pipe. */
function say(line: HistoryLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

interface Answer {
  readonly status: number;
  readonly body: {
    readonly metadata?: { readonly resourceVersion?: string };
    readonly spec?: { readonly holderIdentity?: string };
  };
}

async function send(method: string, path: string, body?: object): Promise<Answer> {
  const { status, body: chunks } = await server.transport({
    method,
    path: `/apis/coordination.k8s.io/v1/namespaces/${path}`,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const parts: Uint8Array[] = [];
  for await (const part of chunks) parts.push(part);
  return { status, body: JSON.parse(Buffer.concat(parts).toString()) as Answer["body"] };
}

async function watch(history: number): Promise<void> {
  const path = `h${history}/leases`;
  const { body: list } = await send("GET", path);
  const { body } = await server.transport({
    method: "GET",
    path: `/apis/coordination.k8s.io/v1/namespaces/${path}?watch=true&resourceVersion=${list.metadata?.resourceVersion}`,
  });
  for (let client = 0; client < clients; client += 1) void work(history, client);
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as {
        type: string;
        object: Answer["body"] & { metadata: { name: string } };
      };
      say({
        history,
        event: {
          type,
          object: object.metadata.name,
          version: Number(object.metadata.resourceVersion),
          value: object.spec?.holderIdentity ?? "",
        },
      });
    }
  }
}

/** One client: picks an object and what to do with it, by what it saw last. */
async function work(history: number, client: number): Promise<void> {
  const random = new SeededRandom(Number(seed) + (Number(life) * Number(count) + history) * clients + client);
  const versions = new Map<string, number>();
  for (let step = 0; ; step += 1) {
    const object = random.pick(["a", "b"]);
    const id = `${client}-${step}`;
    const send = planned(random, { object, value: `${life}-${history}-${id}`, base: versions.get(object) });
    say({ history, id, send });
    if (random.chance(0.5)) await setImmediate();
    const answer = await perform(`h${history}/leases`, send);
    if (answer.version !== undefined && answer.status < 300) versions.set(object, answer.version);
    say({ history, id, answer });
    if (random.below(3) === 0) await setImmediate();
  }
}

type Sent = Extract<HistoryLine, { readonly send: unknown }>["send"];

function planned(
  random: SeededRandom,
  { object, value, base }: { readonly object: string; readonly value: string; readonly base: number | undefined },
): Sent {
  const kind = random.pick<Sent["kind"]>(["create", "update", "update", "update", "get", "get", "delete"]);
  if (kind === "create") return { kind, object, value };
  if (kind === "get" || base === undefined) return { kind: "get", object };
  return kind === "update" ? { kind, object, value, base } : { kind, object, base };
}

async function perform(path: string, { kind, object: name, value, base }: Sent) {
  const at = `${path}/${name}`;
  const resourceVersion = String(base);
  const metadata = { name, ...(kind === "update" ? { resourceVersion } : {}) };
  const body = { metadata, spec: { holderIdentity: value } };
  if (kind === "create") return answerOf(await send("POST", path, body));
  if (kind === "update") return answerOf(await send("PUT", at, body));
  return answerOf(
    await (kind === "delete" ? send("DELETE", at, { preconditions: { resourceVersion } }) : send("GET", at)),
  );
}

function answerOf({ status, body: { metadata, spec } }: Answer) {
  const version = Number(metadata?.resourceVersion);
  const seen = spec?.holderIdentity;
  return { status, ...(Number.isNaN(version) ? {} : { version }), ...(seen === undefined ? {} : { seen }) };
}

const numbers = Array.from({ length: Number(count) }, (_, index) => index);
for (const history of numbers) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ metadata: { name: `h${history}` } });
  await server.transport({ method: "POST", path: "/api/v1/namespaces", headers, body });
}
for (const history of numbers) void watch(history);
