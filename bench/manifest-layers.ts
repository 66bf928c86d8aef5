import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { ContentStore, createDirectory, digestOf } from "oras-js";
import { readContent } from "../controllers/manifest/sources/content.ts";
import { startFleet } from "./manifest-world.ts";
import type { Measurement, RunOptions, Workload } from "./measurement.ts";

/** P12: many Manifests on few layers are one pull per layer; one very large layer stays within its own size. */
export const layers: Workload = {
  name: "layers of a fleet",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => [
    ...(await pulls(smoke ? 10 : 1_000, smoke ? 2 : 50)),
    await largeLayer(smoke ? 2 : 60),
  ],
};

async function pulls(manifests: number, count: number): Promise<readonly Measurement[]> {
  const blobs = new Map(
    Array.from({ length: count }, (_, index) => {
      const metadata = { name: `shared-${index}`, namespace: "kyma-system" };
      const bytes = Buffer.from(
        formatYamlDocuments([{ apiVersion: "v1", kind: "ConfigMap", metadata, data: { index: String(index) } }]),
      );
      return [digestOf(bytes), bytes] as const;
    }),
  );
  let pulled = 0;
  const fleet = await startFleet({
    transport: {
      send: async ({ url }) => {
        pulled += 1;
        const bytes = blobs.get(decodeURIComponent(url.pathname.split("/").at(-1) ?? "")) ?? Buffer.from("");
        const body = (async function* (): AsyncGenerator<Uint8Array> {
          yield bytes;
        })();
        return { status: 200, headers: {}, body, discard: async () => undefined };
      },
      close: async () => undefined,
    },
  });
  const names = Array.from({ length: manifests }, (_, index) => `m-${index}`);
  await fleet.addKymas(new Map([["one", names]]));
  const digests = [...blobs.keys()];
  for (const [index, name] of names.entries()) await fleet.addManifest(name, "one", digests[index % count] ?? "");
  fleet.start();
  while (fleet.count("Ready") < manifests) await delay(500);
  const { text } = await fleet.manager.metrics.scrape();
  const lookups = (tier: string): number =>
    Number(new RegExp(`kyma_manifest_renders_total\\{tier="${tier}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  await fleet.stop();
  const what = `${manifests} Manifests on ${count} layers`;
  const rendered = lookups("rendered");
  return [
    {
      id: "P12",
      what: `${what}: pulls`,
      value: pulled,
      unit: "pulls",
      target: "one per layer",
      met: pulled === count,
    },
    {
      id: "P12",
      what: `${what}: renderings`,
      value: rendered,
      unit: "renderings",
      target: "one per layer",
      met: rendered === count,
      note: `${lookups("memory")} more were found in memory`,
    },
  ];
}

async function largeLayer(mebibytes: number): Promise<Measurement> {
  const line = `x: ${"y".repeat(1_000)}\n`;
  const text = `kind: ConfigMap\nmetadata: {name: a}\ndata:\n${`  ${line}`.repeat((mebibytes * 1024 * 1024) / (line.length + 2))}`;
  const bytes = Buffer.from(text);
  const folder = await mkdtemp(join(tmpdir(), "bench-layers-"));
  try {
    const store = new ContentStore({ directory: createDirectory(folder), clock: { now: () => 0 } });
    const before = retained();
    const origin = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes;
    };
    const stored = await store.get({ digest: digestOf(bytes) }, origin);
    const content = await readContent(stored, "large", new AbortController().signal);
    const grown = (retained() - before) / 2 ** 20;
    if (content.kind !== "documents") throw new Error("the layer was not read as documents");
    const over = grown - content.text.length / 2 ** 20;
    return {
      id: "P12",
      what: `one layer of ${mebibytes} MiB: memory over its own text`,
      value: Math.max(over, 0),
      unit: "MiB",
      target: "≤ 32 MiB",
      met: over <= 32,
      note: "kept after a collection",
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function retained(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
