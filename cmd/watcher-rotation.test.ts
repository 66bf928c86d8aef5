import { equal, ok } from "node:assert/strict";
import type { X509Certificate } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, test } from "@jest/globals";
import { addKymaController } from "../controllers/kyma/index.ts";
import { anyDescriptor, kymaSettings } from "../controllers/kyma/kyma-stage.ts";
import type { TlsData } from "../controllers/watcher/certificates/gateway-secret.ts";
import { parseBundle, validityOf } from "../controllers/watcher/certificates/pem.ts";
import { type Secret, tlsOf } from "../controllers/watcher/certificates/tls-secret.ts";
import { addWatcherControllers } from "../controllers/watcher/index.ts";
import { watcherSettings as settings, watcherObject } from "../controllers/watcher/watcher-stage.ts";
import {
  accessSecret,
  KymaStage,
  kymaObject,
  type LifecycleWorld,
  patiently,
  Trouble,
  type WireControllers,
} from "../testing/index.ts";

const day = 86_400_000;
const kyma = kymaObject(
  "runtime-1",
  { channel: "regular" },
  { labels: { "kyma-project.io/runtime-id": "rt-1" }, annotations: { "skr-domain": "shoot.project.example.org" } },
);

/** The controllers that rotate together: the gateway's, and that of the Kyma, which brings the agent up to date. */
const wire: WireControllers = (world) => {
  const { webhook, events, agents } = addWatcherControllers(world.context, {
    settings,
    address: { host: "127.0.0.1", port: 8082 },
    istio: false,
    listener: { host: "127.0.0.1", port: 0 },
    random: () => 0,
  });
  return addKymaController(world.context, {
    settings: { ...kymaSettings, remoteResyncMs: 600_000 },
    clusters: world.clusters,
    descriptors: anyDescriptor,
    webhook,
    remoteEvents: events,
    agentEvents: agents,
    random: () => 0,
  });
};

let stage: KymaStage;
afterEach(async () => stage.close());

async function begin(faults: { readonly kcp: Trouble; readonly skr: Trouble }): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } };
  stage = await KymaStage.openWith(faults, wire, namespace, accessSecret("runtime-1"), watcherObject(), kyma);
  await patiently(stage.world.clock, async () => (await stage.status()).state === "Ready");
}

const secretOf = async (cluster: LifecycleWorld["kcp"], name: string): Promise<TlsData | undefined> =>
  tlsOf(((await cluster.list("v1", "Secret")) as readonly Secret[]).find(({ metadata }) => metadata.name === name));
const gateway = async (): Promise<TlsData | undefined> => secretOf(stage.world.kcp, "klm-istio-gateway");
const agent = async (): Promise<TlsData | undefined> => secretOf(stage.world.skr, "skr-webhook-tls");
const certificatesOf = (text = ""): readonly X509Certificate[] => parseBundle(text) ?? [];
const rootsOf = async (side: Promise<TlsData | undefined>): Promise<number> => certificatesOf((await side)?.ca).length;

/** Whether a side that trusts a bundle accepts what the other one shows. */
function accepts(bundle: string | undefined, shown: string | undefined): boolean {
  const now = stage.world.clock.now();
  const [certificate] = certificatesOf(shown);
  if (certificate === undefined || validityOf(certificate).notAfterMs < now) return false;
  return certificatesOf(bundle).some(
    (root) => validityOf(root).notAfterMs > now && certificate.checkIssued(root) && certificate.verify(root.publicKey),
  );
}

/** Neither side may ever refuse the other: that would be a call that fails. */
async function checkCalls(when: string): Promise<void> {
  const [here, there] = [await gateway(), await agent()];
  ok(accepts(here?.ca, there?.crt), `the gateway accepts the agent ${when}`);
  ok(accepts(there?.ca, here?.crt), `the agent accepts the gateway ${when}`);
}

/** Time passes until the condition holds; calls are made all the while. */
async function until(when: string, condition: () => Promise<boolean>): Promise<void> {
  await patiently(stage.world.clock, async () => {
    await checkCalls(when);
    return condition();
  });
}

describe("rotations of the CA in trouble: lost and repeated events, old reads, lost answers, refusals", () => {
  for (const seed of [1, 2]) {
    test(`no call fails within eighty days, seed ${seed} (E169)`, async () => {
      const [kcp, skr] = [new Trouble(seed), new Trouble(seed + 1_000)];
      await begin({ kcp, skr });
      const shown = new Set<string | undefined>();
      for (let days = 2; days <= 80; days += 2) {
        stage.world.clock.jump(2 * day);
        for (let looks = 0; looks < 5; looks += 1) {
          await stage.world.clock.advance(310_000);
          await setTimeout(1);
          await checkCalls(`on day ${days}`);
        }
        shown.add((await gateway())?.crt);
      }
      ok(shown.size > 2, `${shown.size} server certificates`);
      kcp.rate = skr.rate = 0;
    }, 120_000);
  }
});

test("a crash after any write of a rotation whose events are lost costs no call, and the rotation goes on", async () => {
  let crashes = 0;
  for (let writes = 1; ; writes += 1) {
    const [kcp, skr] = [new Trouble(writes), new Trouble(-writes)];
    kcp.rate = skr.rate = 0;
    await begin({ kcp, skr });
    const before = (await gateway())?.crt;
    const followed = async (): Promise<boolean> => (await rootsOf(gateway())) === 2 && (await rootsOf(agent())) === 2;
    const budget = stage.world.crashAfter(writes);
    kcp.rate = 0.2;
    stage.world.clock.jump(30 * day);
    await until(`before write ${writes} is over`, async () => budget.spent() || followed());
    const died = budget.spent();
    if (died) {
      crashes += 1;
      await stage.restart();
    }
    kcp.rate = 0;
    await until(`after a crash at write ${writes}`, followed);
    stage.world.clock.jump(settings.rotation.graceMs + day);
    await until(`at the end, after write ${writes}`, async () => (await gateway())?.crt !== before);
    equal((await stage.status()).state, "Ready");
    if (!died) break;
    await stage.close();
  }
  ok(crashes > 3, `${crashes} crashes`);
}, 240_000);
