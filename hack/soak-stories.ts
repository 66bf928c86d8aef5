import { parent, parents, SeededRandom, type Story, sampleStory, type TestCluster } from "../testing/index.ts";

/** Stories for the long simulation, by name. Loaded when they are played. */
export const stories: Readonly<Record<string, () => Promise<Story>>> = {
  sample: async () => sampleStory,
};

/** A day in which somebody does something every ten minutes, with trouble all day long. */
export function aDay(seed: number): Story {
  const random = new SeededRandom(seed);
  const deed = (): Story["steps"][number] => {
    const name = random.pick(["one", "two", "three"]);
    const wish = { children: random.below(4), value: `v-${random.below(100)}` };
    if (random.chance(0.2)) return (cluster) => remove(cluster, name);
    return (cluster) => cluster.apply(parent(name, wish)).catch(() => undefined);
  };
  return {
    ...sampleStory,
    stepMs: 600_000,
    troubleMs: 86_400_000,
    steps: [...Array.from({ length: 141 }, deed), ...["one", "two", "three"].map(settled)],
    // A name that was on its way out at the end of the day stays away; who is there must be as asked.
    finished: async (cluster) => (await summaries(cluster)).every((summary) => summary === "1 of end"),
    outcome: async (cluster) => strangers(cluster),
  };
}

/** Asks for the same at the end, whether the name is free, taken or on its way out. */
const settled = (name: string) => async (cluster: TestCluster) =>
  cluster.apply(parent(name, { children: 1, value: "end" })).catch(() => undefined);

async function remove(cluster: TestCluster, name: string): Promise<void> {
  await cluster.client.delete({ resource: parents, namespace: "default", name }).catch(() => undefined);
}

async function summaries(cluster: TestCluster): Promise<readonly unknown[]> {
  const ours = (await cluster.list("v1", "ConfigMap")).filter(({ metadata }) => metadata.labels?.["sample"] === "yes");
  return ours.map(({ data }) => (data as { summary?: string }).summary);
}

/** Children that no parent owns, which there must not be however the day went. */
async function strangers(cluster: TestCluster): Promise<readonly string[]> {
  const names = (await cluster.list("v1", "ConfigMap")).map(({ metadata }) => metadata.name ?? "");
  const owned = new Set(names.map((name) => `${name}-0`));
  const all = (await cluster.list("v1", "Secret")).map(({ metadata }) => metadata.name ?? "");
  return all.filter((name) => !owned.has(name));
}
