import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ContentStore, createDirectory, createRegistryClient, parseRepository } from "oras-js";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";

/** Blobs that a registry would serve: made on the fly, so that they take no memory here. */
interface Blob {
  readonly digest: string;
  readonly size: number;
}

const piece = randomBytes(65_536);

function* piecesOf(seed: number, size: number): Generator<Buffer> {
  const first = Buffer.from(`layer ${seed}\n`.padEnd(16, " "));
  yield first.subarray(0, Math.min(size, first.length));
  for (let left = size - first.length; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}

function blobOf(seed: number, size: number): Blob {
  const hash = createHash("sha256");
  for (const part of piecesOf(seed, size)) hash.update(part);
  return { digest: `sha256:${hash.digest("hex")}`, size };
}

interface Server {
  readonly host: string;
  readonly blobs: readonly Blob[];
  /** Blob requests so far. */
  requests(): number;
  stop(): Promise<void>;
}

async function serve(sizes: readonly number[]): Promise<Server> {
  const blobs = sizes.map((size, seed) => blobOf(seed, size));
  const seeds = new Map(blobs.map(({ digest }, seed) => [digest, seed]));
  let requests = 0;
  const server = createServer((request, response) => {
    const seed = seeds.get(request.url?.split("/").at(-1) ?? "") ?? -1;
    requests += 1;
    response.writeHead(200, { "content-length": String(sizes[seed] ?? 0) });
    void (async () => {
      for (const part of piecesOf(seed, sizes[seed] ?? 0)) if (!response.write(part)) await once(response, "drain");
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    blobs,
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "bench-oci-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Manifests that share layers ask for them all at once, as after a restart. */
async function manyManifests(manifests: number, layers: number): Promise<readonly Measurement[]> {
  const server = await serve(Array.from({ length: layers }, () => 40_000));
  const client = createRegistryClient({ plainHttp: "loopback" });
  const repository = parseRepository(`${server.host}/modules`);
  const what = `${manifests.toLocaleString("en-US")} Manifests on ${layers} layers`;
  try {
    return await inFolder(async (folder) => {
      const store = new ContentStore({ directory: createDirectory(folder), clock: Date });
      const pull = async (i: number): Promise<void> => {
        const blob = server.blobs[i % layers];
        if (blob !== undefined) await store.get(blob, (signal) => client.openBlob(repository, blob, { signal }));
      };
      const timed = async (): Promise<number> => {
        const started = performance.now();
        await Promise.all(Array.from({ length: manifests }, (_, i) => pull(i)));
        return performance.now() - started;
      };
      const cold = await timed();
      const pulls = server.requests() / layers;
      const warm = await timed();
      return [
        {
          id: "P12",
          what: `${what}: pulls per digest`,
          value: pulls,
          unit: "pulls",
          target: "one pull per digest",
          met: pulls === 1,
        },
        { id: "P12", what: `${what}: all layers at hand, cold`, value: cold, unit: "ms", target: "none" },
        { id: "P12", what: `${what}: all layers at hand, warm`, value: warm, unit: "ms", target: "none" },
      ];
    });
  } finally {
    await client.close();
    await server.stop();
  }
}

/** Pulls one layer in a process of its own, and answers by how much its memory peaked. */
async function growthOf(host: string, { digest, size }: Blob): Promise<number> {
  return inFolder(async (folder) => {
    const child = fork(
      fileURLToPath(import.meta.resolve("./oci-large-layer.ts")),
      [host, digest, String(size), folder],
      {
        execArgv: ["--conditions=source", "--expose-gc"],
        env: { ...process.env, MALLOC_ARENA_MAX: "1" }, // as the image has it
      },
    );
    const [message] = (await once(child, "message")) as [{ growthBytes: number }];
    await once(child, "exit");
    return message.growthBytes;
  });
}

async function largeLayer(size: number, runs: number): Promise<Measurement> {
  const server = await serve([size]);
  try {
    const growths: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      for (const blob of server.blobs) growths.push(await growthOf(server.host, blob));
    }
    const beyondMiB = (median(growths) - size) / 2 ** 20;
    return {
      id: "P12",
      what: `one layer of ${Math.round(size / 1e6)} MB: peak memory beyond its text`,
      value: beyondMiB,
      unit: "MiB",
      target: "≤ 32 MiB",
      met: beyondMiB <= 32,
      note: "MALLOC_ARENA_MAX=1, as in the image",
    };
  } finally {
    await server.stop();
  }
}

/** P12: layers are pulled once, and a large one costs its own size. */
export const workload: Workload = {
  name: "OCI layers",
  run: async ({ smoke }: RunOptions) => [
    ...(await manyManifests(smoke ? 20 : 1_000, smoke ? 2 : 50)),
    await largeLayer(smoke ? 1_000_000 : 60_000_000, smoke ? 1 : 5),
  ],
};
