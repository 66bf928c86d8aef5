import { deepEqual, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { shootResource } from "@kyma-operators/gardener";
import { type AnyObject, type Client, optional, type WatchEvent } from "@kyma-operators/kube";
import { annotations, type Runtime, runtimeResource } from "../apis/infrastructure/index.ts";
import { addGardenerClusterController } from "../controllers/gardener-cluster/index.ts";
import { addRuntimeController } from "../controllers/runtime/index.ts";
import { parseAuditLogTenants, parseLandscapeConfig } from "../controllers/runtime/shoot/index.ts";
import {
  type InfrastructureWorld,
  type InfrastructureWorldOptions,
  landscapeText,
  restartedInfrastructure,
  runtimeObject,
  startInfrastructureWorld,
  tenantsText,
} from "../testing/index.ts";

type StoredRuntime = Runtime & AnyObject;

const landscape = {
  config: parseLandscapeConfig(landscapeText(), "converter_config.json"),
  auditLogTenants: parseAuditLogTenants(tenantsText(), "tenants.json"),
  maintenanceWindows: {},
};
const ref = { resource: runtimeResource, namespace: "kcp-system", name: "11111111-0000-4000-8000-000000000001" };
const enoughMs = 7_200_000;

function wire(world: InfrastructureWorld, gardener: Client = world.operatorGarden): InfrastructureWorld {
  const { remote } = world;
  addRuntimeController(world.context, { gardener, remote, landscape: () => landscape });
  addGardenerClusterController(world.context, { gardener, projectName: "kyma-dev" });
  return world;
}

interface Story {
  readonly name: string;
  /** Whether a Ready Runtime is there before the story begins. */
  readonly isFirst?: boolean;
  readonly act: (world: InfrastructureWorld) => Promise<unknown>;
  readonly isDone: (runtime: StoredRuntime | undefined) => boolean;
}

/** Ready for the newest generation, with nothing asked for. */
function isReady(runtime: StoredRuntime | undefined): boolean {
  if (runtime?.status?.state !== "Ready") return false;
  const { metadata, status } = runtime;
  const configured = status.conditions?.find(({ type }) => type === "Configured");
  const isForced = metadata.annotations?.[annotations.forcePatch] !== undefined;
  return configured?.observedGeneration === metadata.generation && !isForced;
}

const create = (world: InfrastructureWorld): Promise<unknown> =>
  world.kcp.client.create(runtimeResource, runtimeObject());
const patch = (change: unknown) => (world: InfrastructureWorld) => world.kcp.client.mergePatch(ref, change);
const [worker] = (runtimeObject()["spec"] as Runtime["spec"]).shoot.provider.workers;
const more = { ...worker, name: "more", zones: ["eu-central-1d"] };

const stories: readonly Story[] = [
  { name: "a creation", isFirst: true, act: create, isDone: isReady },
  {
    name: "a pool in a new zone",
    act: patch({ spec: { shoot: { provider: { additionalWorkers: [more] } } } }),
    isDone: isReady,
  },
  {
    name: "a change of administrators",
    act: patch({ spec: { security: { administrators: ["other@example.test"] } } }),
    isDone: isReady,
  },
  {
    name: "a forced patch",
    act: patch({ metadata: { annotations: { [annotations.forcePatch]: "true" } } }),
    isDone: isReady,
  },
  { name: "a deletion", act: (world) => world.kcp.client.delete(ref), isDone: (runtime) => runtime === undefined },
];

/** What is left of a world when nothing moves any more, without times and names of versions. */
async function remains(world: InfrastructureWorld): Promise<unknown> {
  const api = "infrastructuremanager.kyma-project.io/v1";
  const [runtime] = (await world.kcp.list(api, "Runtime")) as readonly StoredRuntime[];
  const clusters = await world.kcp.list(api, "GardenerCluster");
  const secrets = await world.kcp.list("v1", "Secret");
  const [shoot] = (await world.garden.list(shootResource)).items;
  const skr = shoot === undefined ? undefined : await world.shootClient("c-1");
  const inCluster = async (apiVersion: string, kind: string): Promise<readonly unknown[]> => {
    const list = await skr?.list(await skr.resourceFor(apiVersion, kind));
    return (list?.items ?? [])
      .filter(({ metadata }) => JSON.stringify(metadata.labels ?? {}).includes("infrastructure-manager"))
      .map(({ metadata, spec, subjects }) => ({ name: metadata.name, spec, subjects }));
  };
  return {
    runtime: runtime && [
      runtime.spec,
      runtime.metadata.finalizers,
      runtime.status?.state,
      runtime.status?.conditions?.map(({ type, status }) => `${type}=${status}`),
    ],
    clusters: clusters.map(({ metadata, spec, status }) => [
      metadata.labels,
      spec,
      (status as { state?: string }).state,
    ]),
    secrets: secrets.map(({ metadata }) => [metadata.name, metadata.labels]),
    shoot: shoot && [shoot["spec"], shoot.metadata.annotations, shoot.metadata.generation],
    providers: await inCluster("authentication.gardener.cloud/v1alpha1", "OpenIDConnect"),
    administrators: await inCluster("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
  };
}

interface End {
  readonly remains: unknown;
  /** The process died in the story, and did not end it. */
  readonly died: boolean;
  readonly extraWrites: readonly string[];
}

/** Plays a story whose process dies with the answer to the n-th write; a second process ends it. */
async function play(
  story: Story,
  crashAfter = Number.POSITIVE_INFINITY,
  options: InfrastructureWorldOptions = {},
): Promise<End> {
  const first = wire(await startInfrastructureWorld(options));
  const runtimeOf = (): Promise<StoredRuntime | undefined> => optional(first.kcp.client.get<StoredRuntime>(ref));
  first.start();
  if (story.isFirst !== true) {
    await create(first);
    await first.until(async () => isReady(await runtimeOf()), enoughMs);
  }
  const life = first.crashAfter(crashAfter);
  await story.act(first);
  await first.until(async () => life.spent() || story.isDone(await runtimeOf()), enoughMs);
  const died = life.spent();
  await first.halt();

  const second = wire(restartedInfrastructure(first));
  second.start();
  await second.until(async () => story.isDone(await runtimeOf()), enoughMs);
  await second.clock.advance(600_000);
  const [kcp, garden, cluster] = [
    second.kcp.writes().length,
    second.gardenRequests.length,
    second.clusterRequests.length,
  ];
  await second.clock.advance(1_200_000);
  const isWrite = ({ verb }: { readonly verb: string }): boolean => !["get", "list", "watch"].includes(verb);
  const extra = [
    ...second.kcp.writes().slice(kcp),
    ...second.gardenRequests.slice(garden).filter(isWrite),
    ...second.clusterRequests.slice(cluster),
  ];
  const end = { remains: await remains(second), died, extraWrites: extra.map(({ verb, path }) => `${verb} ${path}`) };
  await second.stop();
  return end;
}

describe("a process that dies after any write", () => {
  for (const story of stories) {
    test(`leaves nothing that the next one does not put right: ${story.name}`, async () => {
      const calm = await play(story);
      deepEqual(calm.extraWrites, []);
      let crashes = 0;
      for (let write = 1; ; write += 1) {
        const crashed = await play(story, write);
        if (!crashed.died) break;
        crashes += 1;
        deepEqual(crashed.remains, calm.remains, `crash after write ${write}`);
        deepEqual(crashed.extraWrites, [], `crash after write ${write}`);
      }
      ok(crashes >= 3, `${crashes} crashes`);
    }, 300_000);
  }
});

type Events = AsyncIterable<WatchEvent<AnyObject>>;

/** A client whose watches go through a filter. */
function warped(client: Client, watch: (events: Events) => Events): Client {
  return new Proxy(client, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      const bound = (...args: unknown[]): unknown => Reflect.apply(method, target, args);
      return name === "watch" ? (...args: unknown[]) => watch(bound(...args) as Events) : bound;
    },
  });
}

/** A garden whose watch loses the n-th event. */
function forgetful(client: Client, lost: number): { readonly client: Client; readonly seen: () => number } {
  let count = 0;
  async function* watch(events: Events): Events {
    for await (const event of events) {
      if (event.type !== "BOOKMARK") count += 1;
      if (event.type === "BOOKMARK" || count !== lost) yield event;
    }
  }
  return { client: warped(client, watch), seen: () => count };
}

const lateMs = 7_000;
const warps: readonly (readonly [string, NonNullable<InfrastructureWorldOptions["warp"]>])[] = [
  [
    "are late",
    (client, clock) =>
      warped(client, async function* (events) {
        for await (const event of events) {
          await clock.sleep(lateMs);
          yield event;
        }
      }),
  ],
  [
    "say everything twice, the second time when it is old",
    (client, clock) =>
      warped(client, async function* (events) {
        for await (const event of events) {
          yield event;
          await clock.sleep(lateMs);
          yield event;
        }
      }),
  ],
];

describe("watches of both servers that", () => {
  for (const [what, warp] of warps) {
    test(`${what} change nothing in the end of any story`, async () => {
      for (const story of stories) {
        const [calm, warpedEnd] = [await play(story), await play(story, undefined, { warp })];
        deepEqual(warpedEnd.remains, calm.remains, story.name);
        deepEqual(warpedEnd.extraWrites, [], story.name);
      }
    }, 120_000);
  }
});

describe("a watch on Shoots that loses an event", () => {
  test("delays a life with all its stories, and changes nothing else", async () => {
    let total = Number.POSITIVE_INFINITY;
    // Every second one: neighbours are alike, and each run is a whole life.
    for (let lost = 1; lost <= total; lost += 2) {
      const world = await startInfrastructureWorld();
      const garden = forgetful(world.operatorGarden, lost);
      wire(world, garden.client).start();
      const runtimeOf = (): Promise<StoredRuntime | undefined> => optional(world.kcp.client.get<StoredRuntime>(ref));
      for (const { act, isDone } of stories) {
        await act(world);
        await world.until(async () => isDone(await runtimeOf()), 3 * enoughMs);
      }
      deepEqual((await world.garden.list(shootResource)).items, [], `event ${lost}`);
      total = garden.seen();
      await world.stop();
    }
    ok(total > 5, `${total} events`);
  }, 300_000);
});
