import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "@jest/globals";
import { FakeClock, startCluster } from "../../testing/index.ts";
import { addAboutController } from "./example.ts";
import { createManager } from "./index.ts";

const lease = { name: "about.example.com", namespace: "default" };

test("the README shows the example as it is, in sixty lines", async () => {
  const [readme, example] = await Promise.all(
    ["README.md", "example.ts"].map((name) => readFile(join(import.meta.dirname, name), "utf8")),
  );
  equal(/```ts\n([\s\S]*?)```/.exec(readme ?? "")?.[1], example);
  ok((example?.trimEnd().split("\n").length ?? 0) <= 60);
});

test("the example does what the README says, and nothing more", async () => {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock, workload: false });
  const client = cluster.clientFor("about");
  const manager = createManager({ client, clock, identity: "one", leases: [lease], freeze: true });
  addAboutController(manager.context(lease.name));
  const ending = new AbortController();
  let over = false;
  const running = manager.run(ending.signal).finally(() => (over = true));

  const namespace = (about: string) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "team", labels: { about } },
  });
  const described = async (): Promise<unknown> =>
    (await cluster.list("v1", "ConfigMap")).find(({ metadata }) => metadata.name === "team-about")?.["data"];
  await cluster.apply(namespace("cats"));
  await clock.until(async () => (await described()) !== undefined);
  deepEqual(await described(), { about: "cats" });
  await cluster.apply(namespace("dogs"));
  await clock.until(async () => JSON.stringify(await described()).includes("dogs"));
  const configMaps = await cluster.resource("v1", "ConfigMap");
  await cluster.client.delete({ resource: configMaps, namespace: "team", name: "team-about" });
  await clock.until(async () => (await described()) !== undefined);

  const writes = () => cluster.writes().filter(({ resource }) => resource !== "leases").length;
  // Long enough for the series of the event to be written.
  await clock.advance(120_000);
  const before = writes();
  await clock.advance(3_600_000);
  equal(writes(), before);
  const events = await cluster.list("events.k8s.io/v1", "Event");
  deepEqual(events.map((event) => [event["reason"], event["note"]])[0], ["Described", "wrote ConfigMap team-about"]);

  ending.abort(new Error("stop"));
  await clock.until(() => over);
  await running;
  await cluster.stop();
});
