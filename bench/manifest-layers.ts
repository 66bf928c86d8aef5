import { setTimeout as delay } from "node:timers/promises";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { digestOf } from "oras-js";
import { startFleet } from "./manifest-world.ts";
import type { Measurement, RunOptions, Workload } from "./measurement.ts";

/** P12: many Manifests on few layers are one pull and one rendering per layer. */
export const layers: Workload = {
  name: "layers of a fleet",
  run: async ({ smoke }: RunOptions): Promise<readonly Measurement[]> => pulls(smoke ? 10 : 1_000, smoke ? 2 : 50),
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
