import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject, TransportRequest } from "@kyma-operators/kube";
import {
  accessSecret,
  KymaStage,
  kymaObject,
  moduleObjects,
  Refusals,
  type RequestFault,
} from "../../testing/index.ts";
import { addKymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";
import type { WebhookSync } from "./options.ts";

/** An agent with one certificate, as the Kyma controller sees it. */
class Agent implements WebhookSync {
  #present = true;
  #certified = true;

  async sync() {
    return { digest: "1", ready: true, seenAtMs: 0, changedAtMs: 0 };
  }

  async hasCertificate(): Promise<boolean> {
    return this.#certified;
  }

  async deleteCertificate(): Promise<void> {
    this.#certified = false;
  }

  async remove(): Promise<boolean> {
    const was = this.#present;
    this.#present = false;
    return was;
  }
}

const spec = { channel: "regular", modules: [{ name: "alpha" }] };
const kyma = kymaObject("runtime-1", spec);
let stage: KymaStage;
const kcp = new Refusals();
/** Answers once that the object has changed. */
class Contested extends Refusals {
  conflict: RegExp | undefined;

  override request(request: TransportRequest): RequestFault | undefined {
    if (this.conflict?.test(`${request.method} ${request.path}`) !== true) return super.request(request);
    this.conflict = undefined;
    return { kind: "answer", status: 409 };
  }
}

const skr = new Contested();
afterEach(async () => {
  kcp.refused = skr.refused = undefined;
  await stage.close();
});

async function begin(...objects: readonly AnyObject[]): Promise<void> {
  stage = await KymaStage.openWith(
    { kcp, skr },
    (world) =>
      addKymaController(world.context, {
        settings: kymaSettings,
        clusters: world.clusters,
        descriptors: anyDescriptor,
        webhook: new Agent(),
        random: () => 0,
      }),
    ...moduleObjects("alpha", { regular: "1.0.0" }),
    ...objects,
  );
}

interface Event {
  readonly reason: string;
  readonly type: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string };
}

async function event(reason: string, type = "Warning"): Promise<Event> {
  let found: Event | undefined;
  await stage.until(async () => {
    const events = (await stage.world.kcp.list("events.k8s.io/v1", "Event")) as unknown as readonly Event[];
    found = events.find((one) => one.reason === reason && one.type === type);
    return found !== undefined;
  });
  ok(found);
  return found;
}

/** Whatever happens, the action repeats the reason, and the note is short. */
async function told(reason: string, type?: string): Promise<string> {
  const { action, note, regarding } = await event(reason, type);
  deepEqual([action, regarding.kind, regarding.name], [reason, "Kyma", "runtime-1"]);
  ok(note.length <= 100, note);
  return note;
}

async function settled(): Promise<void> {
  await begin(accessSecret("runtime-1"), kyma);
  await stage.settle("Ready");
}

describe("the events of a Kyma, by the reasons that people know", () => {
  test("MetricsError: nothing says which runtime the metrics are of", async () => {
    await settled();
    await told("MetricsError");
  });

  test("RemoteInstallation: the remote Kyma was made", async () => {
    await settled();
    equal(await told("RemoteInstallation", "Normal"), "Kyma was installed to SKR");
  });

  test("PatchStatus: the status could not be written", async () => {
    kcp.refused = /^PATCH .*\/kymas\/runtime-1\/status/;
    await begin(accessSecret("runtime-1"), kyma);
    await told("PatchStatus");
    kcp.refused = undefined;
    await stage.settle("Ready");
  });

  test("UpdateStatusError: an error could not be written into the status", async () => {
    kcp.refused = /^PATCH .*\/kymas\/runtime-1\/status/;
    await begin(kyma);
    await told("UpdateStatusError");
    kcp.refused = undefined;
    await stage.until(async () => (await stage.status()).state === "Error");
  });

  test("MetadataSynchronization: the remote Kyma could not be marked as ours", async () => {
    skr.refused = /^PATCH .*\/kymas\/default\?/;
    await begin(accessSecret("runtime-1"), kyma);
    await told("MetadataSynchronization");
    equal((await stage.notes("StatusSynchronization")).length, 0);
    skr.refused = undefined;
    await stage.settle("Ready");
  });

  test("nothing is told where somebody else was faster than the marks of the remote Kyma", async () => {
    await settled();
    skr.conflict = /^PATCH .*\/kymas\/default\?/;
    const resource = await stage.world.skr.resource(kyma.apiVersion, "Kyma");
    const ref = { resource, namespace: "kyma-system", name: "default" };
    await stage.world.skr.client.mergePatch(ref, { metadata: { labels: null } });
    await stage.tell();
    await stage.until(async () => (await stage.kyma("skr"))?.metadata.labels !== undefined);
    equal(skr.conflict, undefined);
    deepEqual([await stage.notes("MetadataSynchronization"), await stage.notes("StatusSynchronization")], [[], []]);
  });

  test("StatusSynchronization: the remote Kyma does not show the status", async () => {
    skr.refused = /^PUT .*\/kymas\/default\/status/;
    await begin(accessSecret("runtime-1"), kyma);
    await told("StatusSynchronization");
    equal((await stage.notes("MetadataSynchronization")).length, 0);
    skr.refused = undefined;
    await stage.settle("Ready");
  });

  test("UpdateSpecError: the Kyma could not be let go, and its step fails", async () => {
    await settled();
    kcp.refused = /^PATCH .*\/kymas\/runtime-1\?/;
    await stage.remove("Kyma", "runtime-1");
    await told("UpdateSpecError");
    await told("DropKymaFinalizer");
    kcp.refused = undefined;
    await stage.until(async () => (await stage.kyma()) === undefined);
  });

  test("KymaDeletionStuck: only others hold the Kyma", async () => {
    const held = { ...kyma, metadata: { ...kyma.metadata, finalizers: ["example.org/holds"] } };
    await begin(accessSecret("runtime-1"), held);
    await stage.settle("Ready");
    await stage.remove("Kyma", "runtime-1");
    await told("KymaDeletionStuck");
    await stage.patch("Kyma", "runtime-1", { metadata: { finalizers: [] } });
  });

  const steps = [
    "SetKcpKymaStateDeleting",
    "SetSkrKymaStateDeleting",
    "DeleteManifests",
    "DeleteCertificateSetup",
    "DeleteSkrWebhookResources",
    "DeleteSkrModuleTemplateCrd",
    "DeleteSkrModuleReleaseMetaCrd",
    "DeleteSkrKyma",
    "DeleteSkrKymaCrd",
    "DeleteMetrics",
    "EnsureManifestDeletion",
    "DropKymaFinalizer",
  ];

  test(`each step of a deletion: ${steps.join(", ")}`, async () => {
    const identified = { labels: { "kyma-project.io/instance-id": "i-1" }, annotations: { "skr-domain": "a.b.c" } };
    await begin(accessSecret("runtime-1"), kymaObject("runtime-1", spec, identified));
    await stage.settle("Ready");
    const name = (await stage.manifest("alpha"))?.metadata.name ?? "";
    await stage.patch("Manifest", name, { metadata: { finalizers: ["example.org/holds"] } });
    await stage.remove("Kyma", "runtime-1");
    await told("EnsureManifestDeletion", "Normal");
    await stage.patch("Manifest", name, { metadata: { finalizers: [] } });
    await stage.until(async () => (await stage.kyma()) === undefined);
    for (const step of steps) equal(await told(step, "Normal"), "Success");
  });
});
