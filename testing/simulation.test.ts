import { deepEqual, ok, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { createManager } from "@kyma-operators/runtime";
import { parent, parents } from "./sample-controller.ts";
import { runSample, sampleLease, sampleStory } from "./sample-story.ts";
import { endState, everyFault, everyLeaseLoss, everySeed, type Life, play, type Story } from "./simulation.ts";

describe("the sample controller", () => {
  test("ends in the same state whatever single fault happens", async () => {
    const { runs } = await everyFault(sampleStory, { eventStride: 9 });
    ok(runs > 50, `${runs} runs`);
  });

  test("ends in the same state when it loses its lease in the middle of any write", async () => {
    // Shorter than a request may take, so that the lease ends first.
    const times = { durationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 5_000 };
    const { runs } = await everyLeaseLoss({ ...sampleStory, program: (life) => runSample(life, times) });
    ok(runs > 10, `${runs} runs`);
  });

  test("ends in the same state under random faults", async () => {
    await everySeed(sampleStory, { from: 1, count: 10 });
  });

  test("the same seed gives the same run", async () => {
    deepEqual(await play(sampleStory, { seed: 7 }), await play(sampleStory, { seed: 7 }));
  });
});

/** A program with one controller over the sample's parents. */
function programOf(pass: (life: Life, data: Record<string, string>) => Promise<unknown>): Story["program"] {
  return async (life) => {
    const { client, clock, random, identity, signal } = life;
    const manager = createManager({ client, clock, random, identity, leases: [sampleLease] });
    const context = manager.context(sampleLease.name);
    const informer = context.informer(parents, { labelSelector: "sample=yes" });
    context.addController({
      name: "broken",
      watches: [{ informer }],
      reconcile: async (key) => {
        const object = informer.store.get(key);
        if (object !== undefined) await pass(life, (object as unknown as { data: Record<string, string> }).data);
        return { kind: "done" };
      },
    });
    await manager.run(signal);
  };
}

function storyOf(program: Story["program"], key: string): Story {
  const ours = async (cluster: Parameters<Story["outcome"]>[0]) =>
    (await cluster.list("v1", "ConfigMap")).filter(({ metadata }) => metadata.labels?.["sample"] === "yes");
  return {
    program,
    steps: [(cluster) => cluster.apply(parent("one", { children: 0, value: "a" }))],
    finished: async (cluster) => JSON.stringify(await ours(cluster)).includes(key),
    outcome: async (cluster) => endState(await ours(cluster)),
  };
}

const ref = { resource: parents, namespace: "default", name: "one" };

describe("a controller that is not sound is found out", () => {
  test("when it writes although nothing is left to do", async () => {
    const restless: Story["program"] = async ({ client, clock, signal }) => {
      for (let count = 0; !signal.aborted; count += 1) {
        await client.mergePatch(ref, { data: { count: String(count) } }).catch(() => undefined);
        await clock.sleep(30_000, signal);
      }
    };
    await rejects(everyFault(storyOf(restless, "count")), /the calm run writes although nothing is left to do/);
  });

  test("when a crash makes it do something twice", async () => {
    const counting = programOf(async ({ client }, data) => {
      if (data["counted"] === "yes") return;
      await client.mergePatch(ref, { data: { count: String(Number(data["count"] ?? 0) + 1) } });
      await client.mergePatch(ref, { data: { counted: "yes" } });
    });
    await rejects(everyFault(storyOf(counting, "counted")), /"crashAfterWrite":1.* ends in another state/);
  });

  test("when it keeps its progress in memory only", async () => {
    const forgetful = async (life: Life): Promise<void> => {
      let step = 0;
      await programOf(async ({ client }) => {
        step += 1;
        if (step === 1) await client.mergePatch(ref, { data: { first: "yes" } });
        if (step === 2) await client.mergePatch(ref, { data: { second: "yes" } });
      })(life);
    };
    await rejects(everyFault(storyOf(forgetful, "second")), /crash/);
  });
});
