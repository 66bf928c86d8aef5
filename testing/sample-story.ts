import { createManager, type LeaseGroup, type LeaseTimes } from "@kyma-operators/runtime";
import type { TestCluster } from "./cluster.ts";
import { addSampleController, parent, parents } from "./sample-controller.ts";
import { endState, type Life, type Story } from "./simulation.ts";

/** Slower than in production, so that a run is not made of renewals. */
export const sampleLease: LeaseGroup = {
  name: "sample",
  namespace: "default",
  durationMs: 300_000,
  renewDeadlineMs: 200_000,
  retryPeriodMs: 60_000,
};

/** A watch lasts ten minutes at most, and then the age of the list counts. */
const healMs = 1_300_000;

/** Runs the sample controller as a manager of its own would. */
export async function runSample({ signal, ...life }: Life, times: LeaseTimes = {}): Promise<void> {
  const leases = [{ ...sampleLease, ...times }];
  const manager = createManager({ ...life, leases, freeze: true, relistMs: healMs / 2 });
  addSampleController(manager.context(sampleLease.name));
  await manager.run(signal);
}

const data = async (cluster: TestCluster, name: string): Promise<unknown> =>
  (await cluster.list("v1", "ConfigMap")).find(({ metadata }) => metadata.name === name)?.["data"];

/** Two parents come, change their wishes, and one of them goes. */
export const sampleStory: Story = {
  healMs,
  program: (life) => runSample(life),
  steps: [
    (cluster) => cluster.apply(parent("one", { children: 2, value: "a" }), parent("two", { children: 1, value: "b" })),
    (cluster) => cluster.apply(parent("one", { children: 1, value: "c" })),
    (cluster) => cluster.client.delete({ resource: parents, namespace: "default", name: "two" }),
  ],
  finished: async (cluster) => {
    const one = (await data(cluster, "one")) as { summary?: string } | undefined;
    return one?.summary === "1 of c" && (await data(cluster, "two")) === undefined;
  },
  outcome: async (cluster) => {
    const ours = (await cluster.list("v1", "ConfigMap")).filter(
      ({ metadata }) => metadata.labels?.["sample"] === "yes",
    );
    return endState([...ours, ...(await cluster.list("v1", "Secret"))]);
  },
};
