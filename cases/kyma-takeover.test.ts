import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { addKymaController } from "../controllers/kyma/index.ts";
import { accessSecret, type LifecycleWorld, startLifecycleWorld } from "../testing/index.ts";
import {
  api,
  descriptor,
  folder,
  key,
  kyma,
  kymaSettings,
  masked,
  recorded,
  type TraceLine,
  trace,
  waitOf,
} from "./kyma-trace.ts";

/** The moment at which the original has settled with three modules. */
const settled = waitOf("02-enable-modules");
const manifestNames = ["kyma-one-alpha-362023911", "kyma-one-bravo-3292816839", "kyma-one-charlie-4016357423"];
const digest = `sha256:${Buffer.from("1.0.0").toString("hex")}`;

/** A recorded value with something in the place of what the trace has masked. */
function unmasked<T>(value: T): T {
  const text = JSON.stringify(value)
    .replaceAll("<digest>", digest)
    .replaceAll("<host>", "registry.example.org")
    .replaceAll("<time>", "2026-01-05T07:00:00Z")
    .replaceAll("<uid>", "6a1f0000-0000-4000-8000-000000000001");
  return JSON.parse(text) as T;
}

const lastWith = (kind: string, name: string, field: "spec" | "status"): TraceLine | undefined =>
  trace.findLast((line) => line.kind === kind && line.name === name && line.seq < settled && line[field] !== undefined);

let world: LifecycleWorld;
beforeAll(async () => {
  world = await startLifecycleWorld();
  const catalog = parseYamlDocuments(readFileSync(join(folder, "control-plane.yaml"), "utf8")) as AnyObject[];
  await world.kcp.apply(...catalog, accessSecret("kyma-one"));
  const uid = await storeKyma();
  for (const name of manifestNames) await storeManifest(name, uid);
  await storeRemoteKyma();
});
afterAll(async () => world.stop());

/** Stores an object under the field managers of the original, status included. */
async function store(cluster: "kcp" | "skr", object: AnyObject, manager: string, status: unknown): Promise<AnyObject> {
  const { client } = world[cluster];
  const kind = await world[cluster].resource(object.apiVersion, object.kind);
  const stored = await client.apply(kind, object, { fieldManager: manager, force: true });
  const { name = "", namespace = "" } = stored.metadata;
  const intent = { apiVersion: object.apiVersion, kind: object.kind, metadata: { name, namespace }, status };
  return client.apply(kind, intent, { fieldManager: "lifecycle-manager", force: true, subresource: "status" });
}

async function storeKyma(): Promise<string> {
  const line = recorded("kcp", "Kyma", "kyma-one", settled);
  const { labels, annotations, finalizers } = unmasked(line?.metadata ?? {}) as AnyObject["metadata"];
  const metadata = { ...kyma.metadata, labels, annotations, finalizers } as AnyObject["metadata"];
  const stored = await store("kcp", { ...kyma, metadata }, "klm", unmasked(line?.status));
  return stored.metadata.uid ?? "";
}

async function storeManifest(name: string, uid: string): Promise<void> {
  const line = recorded("kcp", "Manifest", name, settled);
  const { labels, annotations, finalizers, ownerReferences } = unmasked(line?.metadata ?? {}) as AnyObject["metadata"];
  const { "sync-oci-ref": installed, ...described } = annotations ?? {};
  const owners = ownerReferences?.map((owner) => ({ ...owner, uid }));
  const identity = { name, namespace: key.namespace };
  const object = {
    apiVersion: api,
    kind: "Manifest",
    metadata: { ...identity, labels, annotations: described, ownerReferences: owners },
    spec: unmasked(lastWith("Manifest", name, "spec")?.spec),
  };
  await store("kcp", object as unknown as AnyObject, "lifecycle-manager", unmasked(line?.status));
  // The Manifest side of the original works under a name of its own.
  const marks = { ...identity, finalizers, annotations: { "sync-oci-ref": installed } };
  const { client } = world.kcp;
  await client.apply(
    await world.kcp.resource(api, "Manifest"),
    { apiVersion: api, kind: "Manifest", metadata: marks } as AnyObject,
    {
      fieldManager: "declarative.kyma-project.io/applier",
    },
  );
}

async function storeRemoteKyma(): Promise<void> {
  const crds = await world.kcp.list("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  const ours = crds.find(({ metadata }) => metadata.name === "kymas.operator.kyma-project.io");
  const { name = "" } = ours?.metadata ?? {};
  await world.skr.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } },
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name },
      spec: ours?.["spec"],
    },
  );
  const line = recorded("skr", "Kyma", "default", settled);
  const { labels, annotations } = unmasked(line?.metadata ?? {}) as AnyObject["metadata"];
  const object = {
    apiVersion: api,
    kind: "Kyma",
    metadata: { name: "default", namespace: "kyma-system", labels, annotations },
    spec: lastWith("Kyma", "default", "spec")?.spec,
  };
  await store("skr", object as unknown as AnyObject, "kyma-sync-context", unmasked(line?.status));
}

const manifests = async (): Promise<readonly AnyObject[]> => world.kcp.list(api, "Manifest");
const kymaOn = async (cluster: "kcp" | "skr"): Promise<AnyObject | undefined> =>
  (await world[cluster].list(api, "Kyma"))[0];
const entries = (object: AnyObject | undefined): unknown =>
  masked((object?.["status"] as { modules?: unknown } | undefined)?.modules);

describe("an installation of the original that is taken over", () => {
  test("keeps its Manifests, its users' choice and its statuses as they are", async () => {
    const before = { manifests: await manifests(), kcp: await kymaOn("kcp"), skr: await kymaOn("skr") };
    addKymaController(world.context, {
      settings: kymaSettings,
      clusters: world.clusters,
      descriptors: { get: async ({ component, version }) => descriptor(component, version) },
      random: () => 0,
    });
    world.start();
    await world.clock.until(async () => (await world.skr.list(api, "ModuleTemplate").catch(() => [])).length > 0);
    await world.clock.advance(30 * 60_000);

    deepEqual(await manifests(), before.manifests, "no Manifest is written, so that nothing is installed again");
    for (const cluster of ["kcp", "skr"] as const) {
      const found = await kymaOn(cluster);
      deepEqual(found?.["spec"], before[cluster]?.["spec"]);
      deepEqual(found?.metadata.labels, before[cluster]?.metadata.labels);
      deepEqual(found?.metadata.annotations, before[cluster]?.metadata.annotations);
      deepEqual(entries(found), entries(before[cluster]));
    }
    equal(world.kcp.requests.filter(({ verb }) => verb === "delete").length, 0);
  });

  test("goes on from there: a removed module goes, another channel changes one Manifest and no other", async () => {
    const before = await manifests();
    const resource = await world.skr.resource(api, "Kyma");
    const spec = { modules: [{ name: "alpha", channel: "fast" }, { name: "charlie" }] };
    await world.skr.client.mergePatch({ resource, namespace: "kyma-system", name: "default" }, { spec });
    const bravo = manifestNames[1];
    await world.clock.until(
      async () =>
        (await manifests()).find(({ metadata }) => metadata.name === bravo)?.metadata.deletionTimestamp !== undefined,
      7_200_000,
    );
    const [alpha, , charlie] = await manifests();
    deepEqual(charlie, before[2]);
    const { version } = (alpha?.["spec"] ?? {}) as { version?: string };
    equal(version, "1.1.0");
    const managers = new Set(alpha?.metadata.managedFields?.map(({ manager }) => manager));
    deepEqual(managers, new Set(["declarative.kyma-project.io/applier", "lifecycle-manager"]));
    deepEqual(alpha?.metadata.finalizers, before[0]?.metadata.finalizers);
  });

  test("can be given back: on both clusters every writer and finalizer is one that the original knows", async () => {
    await world.halt();
    for (const [cluster, kinds] of Object.entries(written) as [keyof typeof written, readonly string[]][]) {
      for (const kind of kinds) {
        const found = await world[cluster].list(kind === "CustomResourceDefinition" ? crds : api, kind);
        ok(found.length > 0, `${cluster} ${kind}`);
        deepEqual(
          found.flatMap((object) => unknownMarks(cluster, object)),
          [],
        );
      }
    }
  });

  test("lets the original apply each Manifest as it is, without a conflict and without a change", async () => {
    for (const { apiVersion, kind, metadata, ...rest } of await manifests()) {
      const { name, namespace, labels, annotations, ownerReferences } = metadata;
      const { "sync-oci-ref": _of, ...described } = annotations ?? {};
      const wanted = {
        apiVersion,
        kind,
        metadata: { name, namespace, labels, annotations: described, ownerReferences },
        spec: rest["spec"],
      };
      const applied = await world.kcp.client.apply(await world.kcp.resource(api, "Manifest"), wanted as AnyObject, {
        fieldManager: "lifecycle-manager",
      });
      equal(applied.metadata.resourceVersion, metadata.resourceVersion, name);
    }
  });
});

const crds = "apiextensions.k8s.io/v1";
const written = {
  kcp: ["Kyma", "Manifest"],
  skr: ["Kyma", "ModuleTemplate", "ModuleReleaseMeta", "CustomResourceDefinition"],
} as const;

/** How this test has stored what the original left behind, and what the API server itself writes. */
const notOurs = /^(klm Apply|lifecycle-manager Apply status|test .*|apiextensions .*)$/;

/** Finalizers and field managers of an object that the original was never seen to write on its kind. */
function unknownMarks(cluster: keyof typeof written, { kind, metadata }: AnyObject): readonly string[] {
  const lines = trace.filter((line) => line.cluster === cluster && line.kind === kind);
  // Plain updates carry the name of the binary, which the recording had under another one.
  const managers = lines.flatMap(({ metadata: { managers: seen = [] } = {} }) => seen);
  const known = new Set([
    ...managers.map((name) => name.replace(/^klm /, "lifecycle-manager ")),
    ...finalizersOf(lines),
  ]);
  const writers = (metadata.managedFields ?? []).map(({ manager, operation, subresource }) =>
    [manager, operation, subresource].filter(Boolean).join(" "),
  );
  return [...writers, ...(metadata.finalizers ?? [])]
    .filter((mark) => !known.has(mark) && !notOurs.test(mark))
    .map((mark) => `${cluster} ${kind} ${metadata.name}: ${mark}`);
}

const finalizersOf = (lines: readonly TraceLine[]): readonly string[] =>
  lines.flatMap(({ metadata: { finalizers = [] } = {} }) => finalizers);
