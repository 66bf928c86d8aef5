import { deepEqual, rejects } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { type AnyObject, builtIn, createClient, transportFrom } from "@kyma-operators/kube";
import { FakeClock, startCluster, type TestCluster } from "../../testing/index.ts";
import { fakeIo } from "../testing.ts";
import { Journal } from "./journal.ts";

const { configMaps } = builtIn;
const say = Object.assign(() => undefined, { detail: () => undefined });
const clock = new FakeClock();

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startCluster({ clock });
});
afterEach(() => cluster.stop());

const map = (name: string, value: string): AnyObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { value },
});
const values = async () =>
  (await cluster.list("v1", "ConfigMap"))
    .filter(({ metadata }) => ["first", "second"].includes(metadata.name ?? ""))
    .map(({ data }) => (data as { readonly value: string }).value);

/** A world in which somebody else writes to `second` just before each of its first updates. */
function contestedWorld(times: number) {
  let left = times;
  const transport = transportFrom(async (request) => {
    if (request.method === "PUT" && request.path.includes("second") && left > 0) {
      const label = { metadata: { labels: { left: String(left--) } } };
      await cluster.client.mergePatch({ resource: configMaps, namespace: "default", name: "second" }, label);
    }
    return cluster.server.transport(request);
  });
  return { io: fakeIo(), client: createClient({ clock, transport, userAgent: "kyma" }), deadline: clock.now() + 1000 };
}

async function changeBoth(world: ReturnType<typeof contestedWorld>): Promise<Journal> {
  const journal = new Journal();
  await cluster.apply(map("first", "before"), map("second", "before"));
  for (const name of ["first", "second"]) await journal.note(world, configMaps, map(name, "after"));
  await cluster.apply(map("first", "after"), map("second", "after"));
  return journal;
}

describe("taking back", () => {
  test("goes on against somebody who writes at the same time", async () => {
    const world = contestedWorld(5);
    const journal = await changeBoth(world);
    await journal.takeBack(world, say);
    deepEqual(await values(), ["before", "before"]);
  });

  test("goes on with the other objects when one can't be taken back, and names that one", async () => {
    const world = contestedWorld(100);
    const journal = await changeBoth(world);
    await rejects(journal.takeBack(world, say), /^Error: ConfigMap default\/second: .*$/);
    deepEqual(await values(), ["before", "after"]);
  });
});
