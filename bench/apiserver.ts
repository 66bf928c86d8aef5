import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { type ApiServer, startApiServer, type Transport } from "../apiserver/index.ts";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";

/** P14: the embedded API server. */
export const workload: Workload = {
  name: "apiserver",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => [
    await starts(smoke ? 1 : 7),
    ...(await inMemory(smoke ? 100 : 10_000)),
    await durable(smoke ? 100 : 10_000),
    await fanOut(smoke ? 10 : 1_000, smoke ? 2 : 20),
  ],
};

const maps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { key: "value" } });

async function send(transport: Transport, method: string, path: string, body?: string): Promise<number> {
  const headers = { "content-type": "application/json", "user-agent": "bench" };
  const response = await transport({ method, path, headers, ...(body === undefined ? {} : { body }) });
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.byteLength;
  if (response.status >= 400) throw new Error(`${method} ${path} answered ${response.status}`);
  return bytes;
}

async function perSecond(count: number, work: (index: number) => Promise<unknown>, lanes = 1): Promise<number> {
  const start = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (count * 1000) / (performance.now() - start);
}

async function starts(runs: number): Promise<Measurement> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    const server = await startApiServer();
    await send(server.transport, "GET", "/readyz");
    times.push(performance.now() - start);
    await server.stop();
  }
  const value = median(times);
  return { id: "P14", what: "start to the first answer", value, unit: "ms", target: "≤ 500 ms", met: value <= 500 };
}

async function inMemory(count: number): Promise<readonly Measurement[]> {
  const server = await startApiServer({ workload: false });
  try {
    const creates = await perSecond(count, (index) => send(server.transport, "POST", maps, configMap(`m${index}`)));
    const gets = await perSecond(count * 2, (index) => send(server.transport, "GET", `${maps}/m${index % count}`));
    const overTls = await readsOverTls(server, count);
    const lists: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const start = performance.now();
      await send(server.transport, "GET", maps);
      lists.push(performance.now() - start);
    }
    const list = median(lists);
    return [
      {
        id: "P14",
        what: "reads in process",
        value: gets,
        unit: "requests/s",
        target: "≥ 10,000/s",
        met: gets >= 10_000,
      },
      {
        id: "P14",
        what: "reads over TLS, HTTP/1.1, 16 connections, client in the same process",
        value: overTls,
        unit: "requests/s",
        target: "none",
      },
      { id: "P14", what: "creates in memory, in process", value: creates, unit: "requests/s", target: "none" },
      {
        id: "P14",
        what: `list of ${count}, in process`,
        value: list,
        unit: "ms",
        target: "≤ 200 ms",
        met: list <= 200,
      },
    ];
  } finally {
    await server.stop();
  }
}

async function readsOverTls(server: ApiServer, count: number): Promise<number> {
  const token = /token: (\S+)/.exec(server.tokenKubeconfig())?.[1] ?? "";
  const pool = new Pool(server.url, { connections: 16, connect: { ca: server.caCertificate } });
  const headers = { authorization: `Bearer ${token}` };
  const read = async (index: number): Promise<void> => {
    const { body } = await pool.request({ method: "GET", path: `${maps}/m${index % count}`, headers });
    await body.dump();
  };
  const value = await perSecond(count, read, 16);
  await pool.close();
  return value;
}

async function durable(count: number): Promise<Measurement> {
  const dataDir = await mkdtemp(join(tmpdir(), "bench-apiserver-"));
  const server = await startApiServer({ workload: false, listen: false, dataDir });
  try {
    const value = await perSecond(count, (index) => send(server.transport, "POST", maps, configMap(`m${index}`)));
    const note = "survives the death of the process; no fsync";
    return {
      id: "P14",
      what: "durable creates, in process",
      value,
      unit: "requests/s",
      target: "≥ 5,000/s",
      met: value >= 5_000,
      note,
    };
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Events per second that reach all watchers together. */
async function fanOut(watchers: number, writes: number): Promise<Measurement> {
  const server = await startApiServer({ workload: false, listen: false });
  try {
    const streams = await Promise.all(
      Array.from({ length: watchers }, () =>
        server.transport({ method: "GET", path: `${maps}?watch=true&labelSelector=none%21%3Dx` }),
      ),
    );
    const start = performance.now();
    const reading = streams.map(async ({ body }) => {
      let lines = 0;
      for await (const chunk of body) {
        lines += chunk.filter((byte) => byte === 10).length;
        if (lines > writes) return;
      }
    });
    for (let index = 0; index < writes; index += 1) await send(server.transport, "POST", maps, configMap(`w${index}`));
    await Promise.all(reading);
    const value = (watchers * writes * 1000) / (performance.now() - start);
    return { id: "P14", what: `events to ${watchers} watchers`, value, unit: "events/s", target: "none" };
  } finally {
    await server.stop();
  }
}
