import { deepEqual, ok } from "node:assert/strict";
import { afterEach, test } from "@jest/globals";
import { createClient } from "@kyma-operators/kube";
import { createManager } from "@kyma-operators/runtime";
import { addKymaController } from "../controllers/kyma/index.ts";
import { anyDescriptor, kymaSettings } from "../controllers/kyma/kyma-stage.ts";
import { addManifestController } from "../controllers/manifest/index.ts";
import {
  FakeClock,
  FaultTransport,
  kymaObject,
  manifestObject,
  memoryDirectory,
  ourCrds,
  SeededRandom,
  startCluster,
  type TestCluster,
} from "../testing/index.ts";

const namespace = "kcp-system";
const shards = 8;
const kymas = Array.from({ length: 16 }, (_, index) => `runtime-${index}`);
const clock = new FakeClock();
const stopped = new AbortController();
const running: Promise<void>[] = [];
let kcp: TestCluster;

afterEach(async () => {
  stopped.abort(new Error("the test is over"));
  await Promise.all([...running, clock.advance(60_000)]);
  await kcp.stop();
});

/** A process with both controllers; the objects whose status it has written. */
function replica(identity: string): ReadonlySet<string> {
  const written = new Set<string>();
  const transport = new FaultTransport((request) => kcp.server.transport(request), clock, {
    request: ({ path }) => {
      const [, kind, name] = /\/(kymas|manifests)\/([^/]+)\/status/.exec(path) ?? [];
      if (kind !== undefined) written.add(`${kind}/${name}`);
      return undefined;
    },
  });
  const manager = createManager({
    client: createClient({ transport, clock, userAgent: identity }),
    clock,
    identity,
    random: new SeededRandom(identity.length).next,
    leases: [{ name: "sharded", namespace, shards }],
  });
  const context = manager.context("sharded");
  const clusters = { open: () => kcp.client, evict: () => undefined };
  addManifestController(context, { namespace, content: memoryDirectory(), clusters });
  addKymaController(context, { settings: kymaSettings, clusters, descriptors: anyDescriptor, random: () => 0 });
  running.push(manager.run(stopped.signal));
  return written;
}

async function shardsOf(identity: string): Promise<number> {
  const leases = await kcp.list("coordination.k8s.io/v1", "Lease");
  const holders = leases
    .filter(({ metadata }) => metadata.name?.includes("shard-"))
    .map(({ spec }) => (spec as { holderIdentity?: string }).holderIdentity);
  return holders.filter((holder) => holder === identity).length;
}

test("a Kyma and its Manifests are looked after by one process", async () => {
  kcp = await startCluster({ clock });
  await kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, ...(await ourCrds()));
  const labels = (kyma: string) => ({
    "operator.kyma-project.io/kyma-name": kyma,
    "operator.kyma-project.io/module-name": "alpha",
  });
  const processes = [replica("a"), replica("bb")];
  await clock.until(async () => (await shardsOf("a")) === shards / 2 && (await shardsOf("bb")) === shards / 2);
  // Nothing says how to reach the clusters, so that every status becomes an Error.
  await kcp.apply(
    ...kymas.map((name) => kymaObject(name, { channel: "regular" })),
    ...kymas.map((name) => manifestObject("sha256:0", {}, { name: `${name}-alpha`, namespace, labels: labels(name) })),
  );
  const count = (): number => processes.reduce((sum, written) => sum + written.size, 0);
  await clock.until(() => count() >= 2 * kymas.length, 3_600_000);

  for (const written of processes) {
    const own = kymas.filter((name) => written.has(`kymas/${name}`));
    ok(own.length > 0, "each process has some");
    deepEqual(
      kymas.filter((name) => written.has(`manifests/${name}-alpha`)),
      own,
    );
  }
}, 60_000);
