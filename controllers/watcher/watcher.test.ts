import { deepEqual, equal, ok } from "node:assert/strict";
import type { X509Certificate } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { Watcher } from "../../apis/operator/watcher.ts";
import { kymaObject, type LifecycleWorld, patiently, restarted, startLifecycleWorld } from "../../testing/index.ts";
import { parseBundle, validityOf } from "./certificates/pem.ts";
import { type Secret, tlsOf } from "./certificates/tls-secret.ts";
import { addWatcherControllers, type WatcherParts } from "./controller.ts";
import { watcherSettings as settings, watcherObject } from "./watcher-stage.ts";

const api = "operator.kyma-project.io/v1beta2";
const day = 86_400_000;
const webhookKind = ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"] as const;
const kyma = kymaObject(
  "runtime-1",
  { channel: "regular" },
  { labels: { "kyma-project.io/runtime-id": "rt-1" }, annotations: { "skr-domain": "shoot.project.example.org" } },
);
const namespaces = ["istio-system"].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } }));

let world: LifecycleWorld;
let parts: WatcherParts;
afterEach(async () => world.stop());

async function begin(...objects: readonly AnyObject[]): Promise<void> {
  world = await startLifecycleWorld();
  await world.kcp.apply(...namespaces, kyma, ...objects);
  await world.skr.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } });
  await startControllers();
}

async function startControllers(): Promise<void> {
  const listener = { host: "127.0.0.1", port: 0 };
  const address = { host: "127.0.0.1", port: 8082 };
  parts = addWatcherControllers(world.context, { settings, address, istio: false, listener, random: () => 0 });
  world.start();
  await patiently(world.clock, async () => (await secretNamed("klm-istio-gateway")) !== undefined);
}

async function secretNamed(name: string): Promise<Secret | undefined> {
  const found = await world.kcp.list("v1", "Secret");
  return found.find(({ metadata }) => metadata.name === name);
}

const bundleOf = (secret: Secret | undefined): number => parseBundle(tlsOf(secret)?.ca ?? "")?.length ?? 0;

async function sync(known?: Awaited<ReturnType<typeof parts.webhook.sync>>) {
  const pass = { now: world.clock.now(), signal: new AbortController().signal };
  const stored = (await world.kcp.list(api, "Kyma"))[0] as unknown as Kyma;
  return parts.webhook.sync(stored, { client: world.clusters.open("runtime-1", "1", () => "skr") }, known, pass);
}

/** Passes until the agent is as it should be, as the Kyma controller makes them. */
async function untilReady() {
  let view = await sync();
  await patiently(world.clock, async () => {
    view = await sync(view);
    return view.ready;
  });
  return view;
}

interface Webhook {
  readonly clientConfig: { readonly service: { readonly path: string } };
  readonly objectSelector: { readonly matchLabels: Readonly<Record<string, string>> };
}

async function webhooks(): Promise<readonly Webhook[]> {
  const [configuration] = await world.skr.list(...webhookKind);
  return (configuration as { webhooks?: Webhook[] } | undefined)?.webhooks ?? [];
}

const remove = async (apiVersion: string, kind: string, name: string): Promise<void> => {
  const resource = await world.skr.resource(apiVersion, kind);
  await world.skr.client.delete({ resource, namespace: "kyma-system", name });
};
const remoteSecret = async (): Promise<Secret | undefined> =>
  ((await world.skr.list("v1", "Secret")) as readonly Secret[]).find(
    ({ metadata }) => metadata.name === "skr-webhook-tls",
  );

describe("the agent on a remote cluster", () => {
  test("is installed with a certificate of ours, and then left alone (E003, E163, I100, I104, I105, U127)", async () => {
    await begin(watcherObject());
    const view = await untilReady();
    deepEqual(
      (await webhooks()).map(({ clientConfig }) => clientConfig.service.path),
      ["/validate/lifecycle-manager"],
    );
    equal((await world.skr.list("networking.k8s.io/v1", "NetworkPolicy")).length, 4);
    const changedAgoMs = world.clock.now() - view.changedAtMs;
    ok(changedAgoMs >= 0 && changedAgoMs < 60_000, `${changedAgoMs}`);
    const before = [world.skr.requests.length, world.kcp.writes().length];
    deepEqual(await sync(view), view);
    deepEqual([world.skr.requests.length, world.kcp.writes().length], before);
  });

  test("is not trusted for ever: it can't tell that it was deleted (E030)", async () => {
    await begin(watcherObject());
    const view = await untilReady();
    await remove("apps/v1", "Deployment", "skr-webhook");
    equal((await sync(view)).ready, true);
    await world.clock.advance(2 * 3_600_000);
    equal((await sync(view)).ready, false);
  });

  test("is looked at by a process that knows nothing of it, and not written again (P5)", async () => {
    await begin(watcherObject());
    await untilReady();
    const before = world.skr.writes().length;
    equal((await sync()).ready, true);
    deepEqual(
      world.skr
        .writes()
        .slice(before)
        .map(({ path }) => path),
      [],
    );
  });

  test("comes back when somebody deletes a part of it (E164, E165, I105)", async () => {
    await begin(watcherObject());
    await untilReady();
    await remove("apps/v1", "Deployment", "skr-webhook");
    await remove("v1", "Secret", "skr-webhook-tls");
    await untilReady();
    equal((await world.skr.list("apps/v1", "Deployment")).length, 1);
    ok((await remoteSecret()) !== undefined);
  });

  test("gets the certificate that is on the control plane, also a new one (I104, I106)", async () => {
    await begin(watcherObject());
    const first = await untilReady();
    const resource = await world.kcp.resource("v1", "Secret");
    await world.kcp.client.delete({ resource, namespace: "istio-system", name: "runtime-1-webhook-tls" });
    await patiently(world.clock, async () => {
      await sync(first);
      return (await secretNamed("runtime-1-webhook-tls")) !== undefined;
    });
    await sync(first);
    equal((await remoteSecret())?.data?.["tls.crt"], (await secretNamed("runtime-1-webhook-tls"))?.data?.["tls.crt"]);
  });

  test("watches what the Watchers say, and follows them (I101, I102)", async () => {
    await begin(watcherObject());
    const first = await untilReady();
    const second = watcherObject({ manager: "module-manager", labelsToWatch: { team: "a" } });
    await world.kcp.apply({ ...second, metadata: { name: "second", namespace: "kcp-system" } });
    await patiently(world.clock, async () => {
      await sync(first);
      return (await webhooks()).length === 2;
    });
    await world.kcp.apply(watcherObject({ labelsToWatch: { team: "b" } }));
    const kinds = await world.kcp.resource(api, "Watcher");
    await world.kcp.client.delete({ resource: kinds, namespace: "kcp-system", name: "second" });
    await patiently(world.clock, async () => {
      await sync(first);
      const [only, ...others] = await webhooks();
      return others.length === 0 && only?.objectSelector.matchLabels["team"] === "b";
    });
  });

  test("goes with everything around it (I103)", async () => {
    await begin(watcherObject());
    await untilReady();
    const { signal } = new AbortController();
    const remote = { client: world.skr.clientFor("operator") };
    equal(await parts.webhook.remove(remote, signal), true);
    equal(await parts.webhook.remove(remote, signal), false);
    deepEqual(await world.skr.list("apps/v1", "Deployment"), []);
    ok(await parts.webhook.hasCertificate("runtime-1", signal));
    await parts.webhook.deleteCertificate("runtime-1", signal);
    equal(await secretNamed("runtime-1-webhook-tls"), undefined);
  });

  test("a new Watcher wakes every Kyma", async () => {
    await begin();
    const woken: string[] = [];
    parts.agents.subscribe(({ name }) => woken.push(name));
    await world.kcp.apply(watcherObject());
    await world.clock.advance(10_000);
    deepEqual([...new Set(woken)], ["runtime-1"]);
  });
});

describe("rotating the CA", () => {
  test("the new CA is trusted before anything is issued by it, and the old one until its time is over", async () => {
    await begin(watcherObject());
    const first = await untilReady();
    const before = tlsOf(await secretNamed("runtime-1-webhook-tls"));
    world.clock.jump(30 * day);
    await patiently(world.clock, async () => bundleOf(await secretNamed("klm-istio-gateway")) === 2);
    equal(bundleOf(await secretNamed("klm-istio-gateway")), 2);
    const second = await sync(first);
    ok(second.digest !== first.digest, "the agent gets the new bundle and a certificate of the new CA");
    const after = tlsOf(await secretNamed("runtime-1-webhook-tls"));
    ok(before?.crt !== after?.crt);
  });
});

const certificatesOf = (text: string | undefined): readonly X509Certificate[] => parseBundle(text ?? "") ?? [];

/** Whether one side accepts what the other side shows. */
function accepts(bundle: string | undefined, shown: string | undefined): boolean {
  const now = world.clock.now();
  const [certificate] = certificatesOf(shown);
  if (certificate === undefined || validityOf(certificate).notAfterMs < now) return false;
  return certificatesOf(bundle).some(
    (root) => validityOf(root).notAfterMs > now && certificate.checkIssued(root) && certificate.verify(root.publicKey),
  );
}

async function check(when: string): Promise<void> {
  const gateway = tlsOf(await secretNamed("klm-istio-gateway"));
  const agent = tlsOf(await remoteSecret());
  ok(accepts(gateway?.ca, agent?.crt), `the gateway accepts the agent ${when}`);
  ok(accepts(agent?.ca, gateway?.crt), `the agent accepts the gateway ${when}`);
}

describe("half a year of rotations", () => {
  test("no call fails, before an agent has followed a step or after (E169)", async () => {
    await begin(watcherObject());
    let view = await untilReady();
    await check("at first");
    const seen = new Set<string | undefined>();
    for (let days = 2; days <= 180; days += 2) {
      world.clock.jump(2 * day);
      // The controllers look again within five minutes.
      for (let looks = 0; looks < 5; looks += 1) {
        await world.clock.advance(70_000);
        await setTimeout(2);
      }
      await check(`on day ${days}, before the agent has followed`);
      view = await sync(view);
      await check(`on day ${days}`);
      seen.add(tlsOf(await secretNamed("klm-istio-gateway"))?.crt);
    }
    ok(seen.size > 3, `${seen.size} server certificates`);
  }, 120_000);
});

test("a crash after any write of a rotation costs no call, and the rotation goes on", async () => {
  for (let writes = 1; ; writes += 1) {
    await begin(watcherObject());
    let view = await untilReady();
    const before = tlsOf(await secretNamed("klm-istio-gateway"))?.crt;
    const budget = world.crashAfter(writes);
    world.clock.jump(30 * day);
    await patiently(world.clock, async () => {
      view = await sync(view).catch(() => view);
      return budget.spent() || (bundleOf(await remoteSecret()) === 2 && view.ready);
    });
    await check(`after write ${writes}`);
    const died = budget.spent();
    if (died) {
      await world.halt();
      world = restarted(world);
      await startControllers();
      view = await untilReady();
      await patiently(world.clock, async () => {
        view = await sync(view);
        return bundleOf(await remoteSecret()) === 2;
      });
      await check(`by the next process, which follows a crash after write ${writes}`);
    }
    world.clock.jump(settings.rotation.graceMs + day);
    await patiently(world.clock, async () => tlsOf(await secretNamed("klm-istio-gateway"))?.crt !== before);
    await check(`at the end, after write ${writes}`);
    if (!died) break;
    await world.stop();
  }
}, 120_000);

describe("a Watcher", () => {
  const watcherOf = async (): Promise<Watcher | undefined> =>
    (await world.kcp.list(api, "Watcher"))[0] as unknown as Watcher | undefined;

  test("is Ready with its finalizer, and goes when it is deleted (I107, I111)", async () => {
    await begin(watcherObject());
    await patiently(world.clock, async () => (await watcherOf())?.status?.state === "Ready");
    const watcher = await watcherOf();
    deepEqual(watcher?.metadata.finalizers, ["operator.kyma-project.io/watcher"]);
    deepEqual(
      [watcher?.status?.conditions?.[0]?.message, watcher?.status?.observedGeneration],
      ["VirtualService is configured", 1],
    );
    const resource = await world.kcp.resource(api, "Watcher");
    await world.kcp.client.delete({ resource, namespace: "kcp-system", name: "klm-watcher" });
    await patiently(world.clock, async () => (await watcherOf()) === undefined);
  });
});
