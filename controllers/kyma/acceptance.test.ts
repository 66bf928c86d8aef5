import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { parsePolicy } from "../../modules/maintenance/policy.ts";
import { accessSecret, KymaStage, kymaObject, moduleObjects, templateObject } from "../../testing/index.ts";
import { addKymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";
import type { KymaSettings } from "./options.ts";

const prefix = "operator.kyma-project.io/";
let stage: KymaStage;
afterEach(async () => stage.close());

/** Opens a stage; `changes` are settings that differ from the usual ones. */
async function open(changes: Partial<KymaSettings>, ...objects: readonly AnyObject[]): Promise<void> {
  stage = await KymaStage.open(
    (world) =>
      addKymaController(world.context, {
        settings: { ...kymaSettings, ...changes },
        clusters: world.clusters,
        descriptors: anyDescriptor,
        random: () => 0,
      }),
    accessSecret("runtime-1"),
    ...objects,
  );
}

const kyma = (modules: readonly { name: string; channel?: string }[], labels: Record<string, string> = {}): AnyObject =>
  kymaObject(
    "runtime-1",
    { channel: "regular", modules },
    { labels, annotations: { "skr-domain": "s.p.example.org" } },
  );

const alpha = moduleObjects("alpha", { regular: "1.0.0", fast: "1.1.0" });
const withAlpha = kyma([{ name: "alpha" }]);

async function setChannels(channels: Readonly<Record<string, string>>): Promise<void> {
  const list = Object.entries(channels).map(([channel, version]) => ({ channel, version }));
  await stage.patch("ModuleReleaseMeta", "alpha", { spec: { channels: list } });
}

/** Channels that the remote cluster offers of a module. */
async function offered(module = "alpha"): Promise<Readonly<Record<string, string>> | undefined> {
  const found = await stage.world.skr.list(`${prefix}v1beta2`, "ModuleReleaseMeta").catch(() => []);
  const meta = found.find(({ metadata }) => metadata.name === module) as unknown as ModuleReleaseMeta | undefined;
  if (meta === undefined) return undefined;
  return Object.fromEntries((meta.spec.channels ?? []).map(({ channel, version }) => [channel, version]));
}

describe("upgrade and downgrade", () => {
  test("a higher channel upgrades, a lower one is refused with a warning that names the skew (E010, E011, E012, I044)", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.settle("Ready");
    await stage.choose({ channel: "fast" });
    await stage.until(async () => (await stage.manifest("alpha"))?.spec.version === "1.1.0");
    await stage.settle("Ready");
    await stage.choose({ channel: "regular" });
    await stage.settle("Warning");
    equal((await stage.manifest("alpha"))?.spec.version, "1.1.0");
    match(
      (await stage.module("alpha"))?.message ?? "",
      /ignore channel skew \(from fast to regular\), as a higher version \(1\.1\.0\)/,
    );
  });

  test("a new version in the channel reaches the Kyma by itself (E013, E014)", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.settle("Ready");
    await setChannels({ regular: "1.1.0", fast: "1.1.0" });
    await stage.until(async () => (await stage.manifest("alpha"))?.spec.version === "1.1.0");
    await stage.until(async () => (await stage.module("alpha"))?.version === "1.1.0");
  });

  test("a channel that points to a version without a template is an error until it is put right (E015, E016)", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.settle("Ready");
    await setChannels({ regular: "9.9.9" });
    await stage.settle("Error");
    match((await stage.module("alpha"))?.message ?? "", /"alpha-9\.9\.9" not found/);
    await setChannels({ regular: "1.0.0" });
    await stage.settle("Ready");
  });

  test("a changed template reaches the Manifest (I060)", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.settle("Ready");
    await stage.patch("ModuleTemplate", "alpha-1.0.0", {
      spec: { data: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "cr" } } },
    });
    await stage.until(async () => (await stage.manifest("alpha"))?.spec.resource?.kind === "ConfigMap");
    await stage.until(async () => (await stage.module("alpha"))?.resource?.metadata?.name === "cr");
  });

  test("modules have channels of their own, and Manifests follow the list (I041, I047, I049)", async () => {
    await open(
      {},
      kyma([{ name: "alpha", channel: "fast" }, { name: "bravo" }]),
      ...alpha,
      ...moduleObjects("bravo", { regular: "1.0.0" }),
    );
    await stage.settle("Ready");
    deepEqual(
      (await stage.manifests()).map(({ spec }) => spec.version),
      ["1.1.0", "1.0.0"],
    );
    await stage.choose({ modules: [{ name: "bravo" }] });
    await stage.until(async () => (await stage.manifests()).length === 1);
  });
});

describe("gating", () => {
  const flags = [false, true];
  const rows = flags.flatMap((mBeta) =>
    flags.flatMap((mInternal) =>
      flags.flatMap((kBeta) => flags.map((kInternal) => ({ mBeta, mInternal, kBeta, kInternal }))),
    ),
  );
  const labelsOf = (beta: boolean, internal: boolean): Record<string, string> => ({
    ...(beta ? { [`${prefix}beta`]: "true" } : {}),
    ...(internal ? { [`${prefix}internal`]: "true" } : {}),
  });
  for (const { mBeta, mInternal, kBeta, kInternal } of rows) {
    const allowed = (!mBeta || kBeta) && (!mInternal || kInternal);
    test(`module beta=${mBeta} internal=${mInternal}, Kyma beta=${kBeta} internal=${kInternal}: ${allowed ? "installed" : "refused"} (I010, I011)`, async () => {
      const template = templateObject("alpha", "1.0.0");
      template.metadata.labels = labelsOf(mBeta, mInternal);
      await open(
        {},
        kyma([{ name: "alpha" }], labelsOf(kBeta, kInternal)),
        ...moduleObjects("alpha", { regular: "1.0.0" }).slice(1),
        template,
      );
      await stage.settle(allowed ? "Ready" : "Error");
      equal((await stage.manifests()).length, allowed ? 1 : 0);
    });
  }

  test("a module that becomes beta is uninstalled, and comes back when it is no longer (E041, E042, E043)", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.settle("Ready");
    await stage.patch("ModuleTemplate", "alpha-1.0.0", { metadata: { labels: { [`${prefix}internal`]: "true" } } });
    await stage.until(async () => (await stage.manifests()).length === 0);
    await stage.settle("Error");
    equal((await stage.module("alpha"))?.message, "module template not allowed: internal module");
    await stage.patch("ModuleTemplate", "alpha-1.0.0", { metadata: { labels: { [`${prefix}internal`]: null } } });
    await stage.settle("Ready");
  });

  test("a restricted module goes when the selector no longer matches (E110, E111)", async () => {
    await open({ restrictedModules: ["alpha"] }, kyma([{ name: "alpha" }], { account: "a" }), ...alpha);
    await stage.patch("ModuleReleaseMeta", "alpha", { spec: { kymaSelector: { matchLabels: { account: "a" } } } });
    await stage.settle("Ready");
    await stage.patch("ModuleReleaseMeta", "alpha", { spec: { kymaSelector: { matchLabels: { account: "b" } } } });
    await stage.until(async () => (await stage.manifests()).length === 0);
    await stage.settle("Error");
    equal(
      (await stage.module("alpha", "skr"))?.message,
      "module template not allowed: restricted module not allowed for this Kyma",
    );
  });

  test("a selector on a module that is not restricted refuses it, until it is removed from the spec (E108, E109)", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.patch("ModuleReleaseMeta", "alpha", { spec: { kymaSelector: { matchLabels: { a: "b" } } } });
    await stage.settle("Error");
    await stage.choose({ modules: [] });
    await stage.settle("Ready");
  });
});

describe("maintenance windows", () => {
  const policy = parsePolicy('{"default":{"begin":"2026-01-05T12:00:00Z","end":"2026-01-05T16:00:00Z"}}');
  const windows = { policy, minWindowMs: 1_200_000 };
  const downtime = [
    ...alpha.slice(0, 1),
    templateObject("alpha", "1.1.0", { requiresDowntime: true }),
    ...alpha.slice(2),
  ];

  test("an upgrade with downtime waits for its window, which an event names, and is made in it (E083, E084, E085, E086)", async () => {
    await open({ windows }, withAlpha, ...downtime);
    await stage.settle("Ready");
    equal((await stage.module("alpha"))?.maintenance, false);
    await stage.choose({ channel: "fast" });
    await stage.until(async () => (await stage.module("alpha", "skr"))?.maintenance === true);
    equal((await stage.manifest("alpha"))?.spec.version, "1.0.0");
    deepEqual(await stage.notes("MaintenanceWindow"), [
      "module alpha waits for its maintenance window of 2026-01-05T12:00:00Z",
    ]);
    await stage.world.clock.advance(4 * 3_600_000 + 600_000);
    await stage.until(async () => (await stage.manifest("alpha"))?.spec.version === "1.1.0");
    await stage.until(async () => (await stage.module("alpha"))?.maintenance === false);
    await stage.choose({ modules: [] });
    await stage.until(async () => (await stage.manifests()).length === 0);
  });

  test("a first installation does not wait (E081)", async () => {
    await open({ windows }, kyma([{ name: "alpha", channel: "fast" }]), ...downtime);
    await stage.settle("Ready");
  });

  test("a user who skips windows does not wait, also when the remote Kyma says it (E082, K4)", async () => {
    await open({ windows }, withAlpha, ...downtime);
    await stage.settle("Ready");
    await stage.choose({ channel: "fast", skipMaintenanceWindows: true });
    await stage.until(async () => (await stage.manifest("alpha"))?.spec.version === "1.1.0");
  });
});

describe("the catalog of the remote cluster", () => {
  async function untilOffered(expected: Readonly<Record<string, string>> | undefined): Promise<void> {
    await stage.until(async () => {
      await stage.tell();
      return JSON.stringify(await offered()) === JSON.stringify(expected);
    });
  }
  for (const label of ["beta", "internal"]) {
    test(`shows what the Kyma may have, and nothing else: ${label} (E090–E096, I003)`, async () => {
      const mark = async (kind: string, name: string): Promise<void> =>
        stage.patch(kind, name, { metadata: { labels: { [`${prefix}${label}`]: "true" } } });
      await open({}, kyma([]), ...alpha);
      await untilOffered({ regular: "1.0.0", fast: "1.1.0" });
      await mark("ModuleTemplate", "alpha-1.0.0");
      await untilOffered({ fast: "1.1.0" });
      deepEqual(await stage.remoteNames("ModuleTemplate"), ["alpha-1.1.0"]);
      await mark("ModuleTemplate", "alpha-1.1.0");
      await untilOffered(undefined);
      await mark("Kyma", "runtime-1");
      await untilOffered({ regular: "1.0.0", fast: "1.1.0" });
    });
  }

  test("follows templates and channels of the control plane (E023, E097, E098, E099)", async () => {
    await open({}, kyma([]), ...alpha);
    await untilOffered({ regular: "1.0.0", fast: "1.1.0" });
    await stage.remove("ModuleTemplate", "alpha-1.0.0");
    await untilOffered({ fast: "1.1.0" });
    await setChannels({ regular: "1.1.0" });
    await untilOffered({ regular: "1.1.0" });
    await stage.remove("ModuleReleaseMeta", "alpha");
    await untilOffered(undefined);
    deepEqual(await stage.remoteNames("ModuleTemplate"), []);
  });

  test("a restricted module is shown only to Kymas that its selector matches (E100–E106)", async () => {
    await open({ restrictedModules: ["alpha"] }, kyma([], { account: "a" }), ...alpha);
    await stage.settle("Ready");
    equal(await offered(), undefined);
    await stage.patch("ModuleReleaseMeta", "alpha", { spec: { kymaSelector: { matchLabels: { account: "a" } } } });
    await untilOffered({ regular: "1.0.0", fast: "1.1.0" });
    await stage.patch("ModuleReleaseMeta", "alpha", { spec: { kymaSelector: { matchLabels: { account: "b" } } } });
    await untilOffered(undefined);
    await stage.patch("Kyma", "runtime-1", { metadata: { labels: { account: "b" } } });
    await untilOffered({ regular: "1.0.0", fast: "1.1.0" });
    const matchExpressions = [{ key: "account", operator: "In", values: ["b", "c"] }];
    await stage.patch("ModuleReleaseMeta", "alpha", {
      spec: { kymaSelector: { matchLabels: null, matchExpressions } },
    });
    await stage.world.clock.advance(60_000);
    await untilOffered({ regular: "1.0.0", fast: "1.1.0" });
  });

  test("CRDs of the remote cluster follow the control plane and come back when deleted (I029–I033)", async () => {
    await open({}, kyma([]));
    await stage.settle("Ready");
    const condition = (await stage.status()).conditions?.find(({ type }) => type === "CRDsSync");
    equal(condition?.status, "True");
    const crds = await stage.world.skr.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    const count = async (): Promise<number> =>
      (await stage.world.skr.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")).length;
    await stage.world.skr.client.delete({ resource: crds, name: "moduletemplates.operator.kyma-project.io" });
    await stage.until(async () => (await count()) === 2);
    await stage.tell();
    await stage.until(async () => (await count()) === 3);
  });

  test("a remote Kyma that leaves with its CRD is made again once others let it go, though nobody tells", async () => {
    const hourMs = 3_600_000;
    await open({ intervals: { ...kymaSettings.intervals, successMs: hourMs } }, withAlpha, ...alpha);
    await stage.settle("Ready");
    const before = (await stage.kyma("skr"))?.metadata.uid;
    const { client } = stage.world.skr;
    const remote = {
      resource: await stage.world.skr.resource(`${prefix}v1beta2`, "Kyma"),
      namespace: "kyma-system",
      name: "default",
    };
    const crds = await stage.world.skr.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    await client.mergePatch(remote, { metadata: { finalizers: ["example.org/mine"] } });
    await client.delete({ resource: crds, name: "kymas.operator.kyma-project.io" });
    await stage.tell();
    await stage.world.clock.advance(120_000);
    equal((await stage.kyma("skr"))?.metadata.uid, before);
    equal((await stage.status()).state, "Ready");

    await client.mergePatch(remote, { metadata: { finalizers: [] } });
    await stage.world.clock.advance(60_000);
    ok(![undefined, before].includes((await stage.kyma("skr"))?.metadata.uid));
    equal((await stage.notes("StatusSynchronization")).length, 0);
    await stage.settle("Ready");
  });
});

describe("paused Kymas", () => {
  test("a paused Kyma follows nothing, and can be deleted all the same (I052, I053, I054)", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.settle("Ready");
    await stage.patch("Kyma", "runtime-1", { metadata: { labels: { [`${prefix}skip-reconciliation`]: "True" } } });
    await stage.world.clock.advance(1_000);
    await stage.report("Error");
    await setChannels({ regular: "1.1.0" });
    await stage.world.clock.advance(600_000);
    equal((await stage.manifest("alpha"))?.spec.version, "1.0.0");
    equal((await stage.module("alpha"))?.state, "Ready");
    await stage.remove("Kyma", "runtime-1");
    await stage.until(async () => (await stage.kyma()) === undefined);
  });
});

describe("the connection to the remote cluster", () => {
  test("lost rights are an error; a new access Secret heals it (E142, E143)", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.settle("Ready");
    await stage.world.kcp.apply(accessSecret("runtime-1", "no-such-cluster"));
    await stage.until(async () => (await stage.status()).state === "Error");
    deepEqual(
      (await stage.status()).modules?.map(({ state, message }) => [state, message]),
      [["Error", "skr client context not found"]],
    );
    await stage.world.kcp.apply(accessSecret("runtime-1"));
    await stage.settle("Ready");
    equal((await stage.module("alpha"))?.message, undefined);
  });

  test("the remote cluster gets namespace, CRDs and a Kyma with the labels of the runtime (E161, I015, I020, I021)", async () => {
    await open(
      {},
      kyma([], {
        "kyma-project.io/runtime-id": "rt",
        "kyma-project.io/global-account-id": "ga",
        "kyma-project.io/subaccount-id": "sa",
      }),
    );
    await stage.settle("Ready");
    const namespaces = await stage.world.skr.list("v1", "Namespace");
    const namespace = namespaces.find(({ metadata }) => metadata.name === "kyma-system");
    equal(namespace?.metadata.labels?.["istio-injection"], "enabled");
    deepEqual((await stage.kyma("skr"))?.metadata.labels, {
      "kyma-project.io/runtime-id": "rt",
      "kyma-project.io/global-account-id": "ga",
      "kyma-project.io/subaccount-id": "sa",
      [`${prefix}watched-by`]: "kyma",
      [`${prefix}managed-by`]: "kyma",
    });
  });

  test("the image pull Secret is copied, and its absence named (E122)", async () => {
    await open({ pullSecret: "pull" }, withAlpha, ...alpha);
    await stage.until(async () => (await stage.status()).state === "Error");
    match(
      (await stage.status()).lastOperation?.operation ?? "",
      /image pull Secret kcp-system\/pull is not on the control plane/,
    );
    await stage.world.kcp.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "pull", namespace: "kcp-system" },
      data: { k: "dg==" },
    });
    await stage.settle("Ready");
    const secrets = await stage.world.skr.list("v1", "Secret");
    const copy = secrets.find(({ metadata }) => metadata.name === "pull");
    deepEqual(copy?.["data"], { k: "dg==" });
  });

  test("a user's own labels on the remote Kyma stay, ours come back", async () => {
    await open({}, withAlpha, ...alpha);
    await stage.settle("Ready");
    const resource = await stage.world.skr.resource(`${prefix}v1beta2`, "Kyma");
    const ref = { resource, namespace: "kyma-system", name: "default" };
    await stage.world.skr.client.mergePatch(ref, {
      metadata: { labels: { mine: "1", [`${prefix}watched-by`]: "me" } },
    });
    await stage.tell();
    await stage.until(async () => (await stage.kyma("skr"))?.metadata.labels?.[`${prefix}watched-by`] === "kyma");
    ok((await stage.kyma("skr"))?.metadata.labels?.["mine"]);
  });
});
