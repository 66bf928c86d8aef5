import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import type { AnyObject, TransportRequest } from "@kyma-operators/kube";
import type { Manifest, ManifestSpec } from "../../../apis/operator/manifest.ts";
import {
  accessSecret,
  kymaObject,
  ManifestWorld,
  manifestObject,
  type RequestFault,
  sampleModule,
  type TestCluster,
} from "../../../testing/index.ts";
import { addManifestController, type ManifestController } from "../controller.ts";

const api = "operator.kyma-project.io/v1beta2";
const ownedBy = "deprecated-operator.kyma-project.io/owned-by";
const namespace = "kcp-system";
/** Their Kymas mention no Manifests. */
const settings = { orphanToleranceMs: Number.MAX_SAFE_INTEGER };
/** Every story is played once per write; a busy machine takes its time. */
const testTimeoutMs = 240_000;

/** What happens to a request to the remote cluster. */
let faultOf: (request: TransportRequest) => RequestFault | undefined;

type Target = "local" | "remote" | "two Kymas";

let world: ManifestWorld<ManifestController>;
let target: Target = "remote";

const begin = async (): Promise<void> => {
  faultOf = () => undefined;
  world = await ManifestWorld.start(
    ({ context, ...options }) => addManifestController(context, { ...options, settings }),
    {},
    { skr: { request: (request) => faultOf(request) } },
  );
  const { kcp } = world.world;
  await kcp.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } });
  await kcp.apply(accessSecret("two"), kymaObject("two", { channel: "regular" }));
};
beforeEach(begin);
afterEach(async () => world.stop());

type Name = "a" | "b";
const other = (name: Name): Name => (name === "a" ? "b" : "a");
const { crd, configMap, customResource: resource } = sampleModule;
const shared = (by: string): AnyObject => configMap("shared", { by });
/** What each brings: its own object, and the one that both have. */
const layerOf = (name: Name): string => world.layer([configMap(name), shared(name)]);
const layerWithout = (name: Name): string => world.layer([configMap(name)]);

function labelsOf(name: Name): Record<string, string> {
  if (target === "local") return { "operator.kyma-project.io/module-name": name };
  const kyma = target === "two Kymas" && name === "b" ? "two" : "one";
  return { "operator.kyma-project.io/kyma-name": kyma, "operator.kyma-project.io/module-name": name };
}

const cluster = (): TestCluster => (target === "local" ? world.world.kcp : world.world.skr);

async function install(name: Name, ref = layerOf(name), spec: Partial<ManifestSpec> = {}): Promise<void> {
  await world.world.kcp.apply(manifestObject(ref, spec, { name, labels: labelsOf(name) }));
  await until(async () => (await manifest(name))?.metadata.annotations?.["sync-oci-ref"] === ref && isReady(name));
}

async function change(name: Name, patch: object): Promise<void> {
  const ref = { resource: await world.world.kcp.resource(api, "Manifest"), namespace, name };
  await world.world.kcp.client.mergePatch(ref, patch);
}

const paused = (value: "true" | null): object => ({
  metadata: { labels: { "operator.kyma-project.io/skip-reconciliation": value } },
});

const upgrade = async (name: Name, ref: string): Promise<void> =>
  change(name, { spec: { install: { source: { ref } } } });

async function remove(name: Name): Promise<void> {
  const ref = { resource: await world.world.kcp.resource(api, "Manifest"), namespace, name };
  await world.world.kcp.client.delete(ref);
}

const until = async (condition: () => Promise<boolean>): Promise<void> => world.world.clock.until(condition);
const gone = async (name: Name): Promise<void> => until(async () => (await manifest(name)) === undefined);
const isReady = async (name: Name): Promise<boolean> => (await manifest(name))?.status?.state === "Ready";

async function manifest(name: Name): Promise<Manifest | undefined> {
  const found = await world.world.kcp.list(api, "Manifest");
  return found.find(({ metadata }) => metadata.name === name) as Manifest | undefined;
}

async function reportOn(name: Name): Promise<string | undefined> {
  return (await manifest(name))?.status?.conditions?.find(({ type }) => type === "Sharing")?.message;
}

async function live(): Promise<AnyObject | undefined> {
  return (await cluster().list("v1", "ConfigMap")).find(({ metadata }) => metadata.name === "shared");
}

const contentBy = async (): Promise<unknown> => (await live())?.["data"];

/** The object is as this Manifest wants it, is marked as its own, and nothing is reported any more. */
async function belongsTo(name: Name): Promise<boolean> {
  const object = await live();
  const isIts = object?.metadata.annotations?.[ownedBy] === `${namespace}/${name}`;
  return isIts && JSON.stringify(object["data"]) === `{"by":"${name}"}` && (await reportOn(name)) === undefined;
}

const inOrder = async (...names: readonly Name[]): Promise<void> => {
  for (const name of names) await install(name);
  await until(async () => (await reportOn("a")) !== undefined && (await reportOn("b")) !== undefined);
};

const targets: readonly Target[] = ["local", "remote", "two Kymas"];

describe.each(targets)("an object of two Manifests (%s)", (where) => {
  beforeEach(() => {
    target = where;
  });
  const orders: readonly (readonly [Name, Name])[] = [
    ["a", "b"],
    ["b", "a"],
  ];

  test("is reported on both, once, and costs nothing afterwards", async () => {
    await inOrder("a", "b");
    deepEqual(await contentBy(), { by: "b" });
    const says =
      "ConfigMap kyma-system/shared belongs to kcp-system/b too; the last to apply decides, and deletion keeps what others have";
    equal(await reportOn("a"), says);
    match((await reportOn("b")) ?? "", /belongs to kcp-system\/a too/);
    const events = await world.world.kcp.list("events.k8s.io/v1", "Event");
    equal(events.filter(({ reason }) => reason === "ObjectsShared").length, 2);

    await world.world.clock.advance(120_000);
    const asked = (): number => cluster().requests.filter(({ verb }) => verb !== "watch").length;
    const before = [world.world.kcp.writes().length, asked()];
    await world.world.clock.advance(600_000);
    deepEqual([world.world.kcp.writes().length, asked()], before);
  });

  for (const order of orders) {
    for (const leaver of order) {
      const stayer = other(leaver);
      test(`stays, as ${stayer} wants it, when ${leaver} is deleted (applied by ${order.join(", then ")})`, async () => {
        await inOrder(...order);
        const { uid } = (await live())?.metadata ?? {};
        await remove(leaver);
        await gone(leaver);
        equal((await live())?.metadata.uid, uid);
        await until(async () => belongsTo(stayer));
        equal((await live())?.metadata.uid, uid);
      });

      test(`stays, as ${stayer} wants it, when ${leaver} brings it no longer (applied by ${order.join(", then ")})`, async () => {
        await inOrder(...order);
        const { uid } = (await live())?.metadata ?? {};
        await upgrade(leaver, layerWithout(leaver));
        await until(async () => (await manifest(leaver))?.status?.synced?.length === 1 && isReady(leaver));
        await until(async () => belongsTo(stayer));
        equal((await live())?.metadata.uid, uid);
        equal(await reportOn(leaver), undefined);
      });
    }
  }

  test("goes with the second one", async () => {
    await inOrder("a", "b");
    await remove("b");
    await gone("b");
    await remove("a");
    await gone("a");
    equal(await live(), undefined);
  });

  test("goes when both bring it no longer, at the same moment", async () => {
    await inOrder("a", "b");
    await Promise.all([upgrade("a", layerWithout("a")), upgrade("b", layerWithout("b"))]);
    for (const name of ["a", "b"] as const)
      await until(async () => (await manifest(name))?.status?.synced?.length === 1 && isReady(name));
    equal(await live(), undefined);
  });

  test("has no marks when both become unmanaged at the same moment", async () => {
    await inOrder("a", "b");
    const unmanaged = { metadata: { annotations: { "operator.kyma-project.io/is-unmanaged": "true" } } };
    await Promise.all([change("a", unmanaged), change("b", unmanaged)]);
    await Promise.all([gone("a"), gone("b")]);
    const { labels = {}, annotations = {} } = (await live())?.metadata ?? {};
    deepEqual([labels["operator.kyma-project.io/managed-by"], annotations[ownedBy]], [undefined, undefined]);
  });

  test("goes when both are deleted at once", async () => {
    await inOrder("a", "b");
    await Promise.all([remove("a"), remove("b")]);
    await Promise.all([gone("a"), gone("b")]);
    equal(await live(), undefined);
  });
});

describe("an object of two Manifests", () => {
  beforeEach(() => {
    target = "remote";
  });

  test("is the other's when one is let go by force", async () => {
    await inOrder("a", "b");
    await change("b", { metadata: { finalizers: null } });
    await remove("b");
    await until(async () => belongsTo("a"));
  });

  test("goes with the last one, even if the other vanished just before", async () => {
    await inOrder("a", "b");
    await change("a", paused("true"));
    await change("b", { metadata: { finalizers: null } });
    await remove("b");
    await remove("a");
    await until(async () => (await manifest("b")) === undefined);
    await change("a", paused(null));
    await gone("a");
    equal(await live(), undefined);
  });

  test("is the other's when one is let go by force that has another object with it", async () => {
    const both = (name: Name): string => world.layer([configMap("first", { by: name }), shared(name)]);
    const third = manifestObject(world.layer([configMap("first")]), {}, { name: "c", labels: labelsOf("a") });
    await install("a", both("a"));
    await world.world.kcp.apply(third);
    await install("b", world.layer([shared("b")]));
    const says =
      "ConfigMap kyma-system/first and 1 more belong to kcp-system/c, kcp-system/b too; the last to apply decides, and deletion keeps what others have";
    await until(async () => (await reportOn("a")) === says);
    await change("b", { metadata: { finalizers: null } });
    await remove("b");
    await until(async () => (await live())?.metadata.annotations?.[ownedBy] === "kcp-system/a");
  });

  test("is the other's when one vanishes while the other is upgraded", async () => {
    await inOrder("a", "b");
    await change("a", paused("true"));
    await change("b", { metadata: { finalizers: null } });
    await remove("b");
    await until(async () => (await manifest("b")) === undefined);
    await upgrade("a", world.layer([configMap("a"), shared("a"), configMap("new")]));
    await change("a", paused(null));
    await until(async () => belongsTo("a"));
    await world.world.clock.advance(120_000);
    const before = world.world.kcp.writes().length;
    await world.world.clock.advance(60_000);
    equal(world.world.kcp.writes().length, before);
  });

  test("comes back soon when it is deleted on the cluster while its Manifest is upgraded", async () => {
    await install("a");
    await change("a", paused("true"));
    const configMaps = await cluster().resource("v1", "ConfigMap");
    await cluster().client.delete({ resource: configMaps, namespace: "kyma-system", name: "shared" });
    world.controller.remoteChanged("one");
    await upgrade("a", world.layer([configMap("a"), shared("a"), configMap("new")]));
    await change("a", paused(null));
    await world.world.clock.advance(5_000);
    deepEqual(await contentBy(), { by: "a" });
  });

  test("keeps its marks when one of them becomes unmanaged", async () => {
    await inOrder("a", "b");
    await change("b", { metadata: { annotations: { "operator.kyma-project.io/is-unmanaged": "true" } } });
    await gone("b");
    await until(async () => belongsTo("a"));
    equal((await live())?.metadata.labels?.["operator.kyma-project.io/managed-by"], "kyma");
  });

  test("stays for one that nobody may touch", async () => {
    await inOrder("b", "a");
    await change("b", paused("true"));
    await remove("a");
    await gone("a");
    deepEqual(await contentBy(), { by: "a" });
    await change("b", paused(null));
    await until(async () => belongsTo("b"));
  });

  test("is named before the Namespaces that both bring, in one event", async () => {
    const team: AnyObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
    await install("a", world.layer([team]));
    await install("b", world.layer([team, shared("b")]));
    await until(async () => (await reportOn("a")) !== undefined);
    await install("a", world.layer([team, shared("a")]));
    const says = "ConfigMap kyma-system/shared and 1 more belong ";
    await until(async () => (await reportOn("a"))?.startsWith(says) === true);
    const events = await world.world.kcp.list("events.k8s.io/v1", "Event");
    equal(events.filter(({ reason }) => reason === "ObjectsShared").length, 2);
  });

  test("is another object on another cluster", async () => {
    await install("a");
    await world.world.kcp.apply(
      manifestObject(layerOf("b"), {}, { name: "b", labels: { "operator.kyma-project.io/module-name": "b" } }),
    );
    await until(async () => isReady("b"));
    await world.world.clock.advance(60_000);
    deepEqual([await reportOn("a"), await reportOn("b")], [undefined, undefined]);
  });
});

test("a module that two Kymas have on one cluster stays, with its CRD and all its CRs, when one lets it go", async () => {
  target = "two Kymas";
  const layer = world.layer([crd]);
  await install("a", layer, { resource });
  await install("b", layer, { resource });
  await cluster().apply({ ...resource, metadata: { ...resource.metadata, name: "of-a-user" } });
  await remove("b");
  await gone("b");
  const names = (await cluster().list("demo.example.org/v1", "Alpha")).map(({ metadata }) => metadata.name);
  deepEqual(new Set(names), new Set(["default", "of-a-user"]));
});

describe("a CRD of two Manifests", () => {
  const both = (name: Name): string => world.layer([crd, configMap(name)]);
  const ofUser = { ...resource, metadata: { ...resource.metadata, name: "of-a-user" } };
  const blocker = async (name: Name): Promise<string | undefined> =>
    (await manifest(name))?.status?.conditions?.find(({ type }) => type === "Deletion")?.message;
  const alphas = async (): Promise<readonly (string | undefined)[]> =>
    (
      await cluster()
        .list("demo.example.org/v1", "Alpha")
        .catch(() => [])
    ).map(({ metadata }) => metadata.name);
  const deleteOfUser = async (): Promise<void> => {
    const kind = await cluster().resource("demo.example.org/v1", "Alpha");
    await cluster().client.delete({ resource: kind, namespace: "kyma-system", name: "of-a-user" });
  };

  test("stays for the objects of users when the second deletion overtakes the first", async () => {
    target = "two Kymas";
    await install("a", both("a"));
    await install("b", both("b"));
    await cluster().apply(ofUser);
    let second: Promise<void> | undefined;
    faultOf = ({ method, path }) => {
      if (second !== undefined || method !== "DELETE" || !path.includes("/configmaps/a")) return undefined;
      second = remove("b");
      return { kind: "delay", delayMs: 5_000 };
    };
    await remove("a");
    await until(async () => (await blocker("a")) !== undefined && (await blocker("b")) !== undefined);
    await second;
    match((await blocker("a")) ?? "", /^Alpha kyma-system\/of-a-user would be deleted with CustomResourceDefinition/);
    deepEqual(await alphas(), ["of-a-user"]);
    await deleteOfUser();
    await Promise.all([gone("a"), gone("b")]);
    deepEqual(await world.names("apiextensions.k8s.io/v1", "CustomResourceDefinition"), []);
  });

  test("stays for the default CR of the one that brings the CRD no longer", async () => {
    target = "two Kymas";
    const withContent = { ...resource, spec: { size: "small" } };
    await install("a", both("a"), { resource: withContent });
    await install("b", both("b"), { resource: withContent });
    await upgrade("b", layerWithout("b"));
    await until(async () => (await manifest("b"))?.status?.synced?.length === 1 && isReady("b"));
    await remove("a");
    await until(async () => (await blocker("a")) !== undefined);
    match(
      (await blocker("a")) ?? "",
      /^Alpha kyma-system\/default would be deleted with CustomResourceDefinition \S+, and belongs to kcp-system\/b too; /,
    );
    deepEqual(await alphas(), ["default"]);
    await upgrade("b", both("b"));
    await gone("a");
    deepEqual(await alphas(), ["default"]);
  });

  test("stays for an object of its kind that both bring", async () => {
    target = "two Kymas";
    const crds = world.layer([crd, ofUser]);
    await install("a", crds);
    await install("b", world.layer([ofUser]));
    await remove("a");
    await until(async () => (await blocker("a")) !== undefined);
    deepEqual(await alphas(), ["of-a-user"]);
    await remove("b");
    await Promise.all([gone("a"), gone("b")]);
    deepEqual(await world.names("apiextensions.k8s.io/v1", "CustomResourceDefinition"), []);
  });

  test("is not held by one that was never installed", async () => {
    target = "two Kymas";
    await install("a", both("a"), { resource });
    await world.world.kcp.apply(manifestObject("not-a-digest", { resource }, { name: "b", labels: labelsOf("b") }));
    await until(async () => (await manifest("b"))?.status?.state === "Error");
    await cluster().apply(ofUser);
    await remove("a");
    await until(async () => (await blocker("a")) !== undefined);
    equal(await blocker("a"), "Alpha kyma-system/of-a-user");
    await deleteOfUser();
    await gone("a");
  });
});

test("an access Secret that goes or comes tells the Manifests of other Kymas who is on their cluster", async () => {
  target = "two Kymas";
  await inOrder("a", "b");
  const secrets = await world.world.kcp.resource("v1", "Secret");
  await world.world.kcp.client.delete({ resource: secrets, namespace, name: "kubeconfig-two" });
  await world.world.clock.advance(5_000);
  equal(await reportOn("a"), undefined);
  const { annotations } = (await live())?.metadata ?? {};
  deepEqual([annotations?.[ownedBy], await contentBy()], [`${namespace}/b`, { by: "b" }]);
  await world.world.kcp.apply(accessSecret("two"));
  await world.world.clock.advance(5_000);
  match((await reportOn("a")) ?? "", /belongs to kcp-system\/b too/);
});

describe("a crash after any write still leaves the object to the other Manifest", () => {
  const stories: readonly [name: string, act: () => Promise<void>, ended: () => Promise<boolean>][] = [
    ["while one is deleted", async () => remove("b"), async () => (await manifest("b")) === undefined],
    [
      "while one prunes it",
      async () => upgrade("b", layerWithout("b")),
      async () => (await manifest("b"))?.status?.synced?.length === 1 && isReady("b"),
    ],
  ];
  for (const [name, act, ended] of stories) {
    test(
      name,
      async () => {
        target = "remote";
        for (let writes = 1; ; writes += 1) {
          await inOrder("a", "b");
          const { uid } = (await live())?.metadata ?? {};
          const budget = world.world.crashAfter(writes);
          await act();
          const isOver = async (): Promise<boolean> => (await ended()) && belongsTo("a");
          await until(async () => budget.spent() || isOver());
          const crashed = budget.spent();
          if (crashed) await world.restart();
          await until(isOver);
          equal((await live())?.metadata.uid, uid, `crash after write ${writes}`);
          if (!crashed) {
            ok(writes > 3, `${writes} writes`);
            return;
          }
          await world.stop();
          await begin();
        }
      },
      testTimeoutMs,
    );
  }
});
