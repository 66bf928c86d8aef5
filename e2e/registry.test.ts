import { deepEqual, equal, match, ok } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import {
  type ComponentDescriptor,
  formatDescriptor,
  getComponentVersion,
  parseDescriptor,
  pullResource,
  pushComponentVersion,
} from "@kyma-operators/ocm";
import {
  createLayoutClient,
  createRegistryClient,
  digestOf,
  type FileClient,
  filesIn,
  mediaTypes,
  parseReference,
  type RegistryClient,
  readTarGz,
  writeTar,
} from "oras-js";
import { oracles } from "../testing/oracles/index.ts";
import { startRegistry } from "../testing/registry.ts";
import { type ForeignRegistry, startDockerRegistry } from "./docker-registry.ts";
import { builtProgram, type Finished, run } from "./programs.ts";

const user = { name: "robot", password: "p4ss:word" };
const users = { [user.name]: user.password };

let scratch = "";
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "kyma-registry-"));
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
  await rm(scratch, { recursive: true });
});

const chart = gzipSync(
  writeTar([
    { path: "demo/Chart.yaml", content: Buffer.from("apiVersion: v2\nname: demo\nversion: 1.4.2\n") },
    {
      path: "demo/templates/cm.yaml",
      content: Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: demo\n"),
    },
  ]),
);
const contents = {
  "raw-manifest": {
    type: "yaml",
    mediaType: "application/octet-stream",
    content: Buffer.from("kind: ConfigMap\napiVersion: v1\nmetadata: {name: demo}\n"),
  },
  "default-cr": {
    type: "yaml",
    mediaType: "application/x-tar",
    content: writeTar([{ path: "default-cr.yaml", content: Buffer.from("kind: Demo\n") }]),
  },
  chart: { type: "helmChart", mediaType: mediaTypes.helmChart, content: chart },
  kustomize: {
    type: "directoryTree",
    mediaType: "application/x-tgz",
    content: gzipSync(writeTar([{ path: "kustomization.yaml", content: Buffer.from("resources: [cm.yaml]\n") }])),
  },
} as const;

const version = "1.4.2+build.7";
const id = { name: "example.org/module/demo", version };
const descriptor: ComponentDescriptor = parseDescriptor({
  meta: { schemaVersion: "v2" },
  component: {
    ...id,
    provider: "example.org",
    repositoryContexts: [],
    resources: Object.entries(contents).map(([name, { type, mediaType, content }]) => ({
      name,
      type,
      version,
      relation: "local",
      access: { type: "localBlob", localReference: digestOf(content), mediaType },
    })),
    sources: [],
    componentReferences: [],
  },
});
const blobs = Object.values(contents).map(({ content }) => ({ digest: digestOf(content), content }));

/** A registry of one kind or another, and a client that may use it. */
interface Place {
  readonly host: string;
  readonly client: RegistryClient | FileClient;
}

function clientFor(withUser: boolean): RegistryClient {
  const credential = { username: user.name, password: new Secret(user.password) };
  const client = createRegistryClient({
    plainHttp: "loopback",
    ...(withUser ? { credentials: async () => credential } : {}),
  });
  stops.push(() => client.close());
  return client;
}

async function started(registry: Promise<ForeignRegistry>, withUser: boolean): Promise<Place> {
  const running = await registry;
  stops.push(() => running.stop());
  return { host: running.host, client: clientFor(withUser) };
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  "our registry in memory": () => started(startRegistry(), false),
  "our registry in a directory": () =>
    started(startRegistry({ storage: { directory: join(scratch, "storage") } }), false),
  "our registry with users": () => started(startRegistry({ users }), true),
  "Debian's registry": () => started(startDockerRegistry(), false),
  "Debian's registry with htpasswd": () => started(startDockerRegistry(users), true),
  "an OCI layout directory": async () => ({
    host: "layout.invalid",
    client: createLayoutClient(filesIn(join(scratch, "layout"))),
  }),
};

for (const [name, start] of Object.entries(places)) {
  test(`a component version goes to ${name} and comes back with equal bytes`, async () => {
    const { host, client } = await start();
    const where = { baseUrl: host, subPath: "kyma/modules" };
    const pushed = await pushComponentVersion(client, where, { descriptor, blobs }, { creator: "e2e" });
    const again = await pushComponentVersion(client, where, { descriptor, blobs }, { creator: "e2e" });
    equal(again.digest, pushed.digest);

    const component = await getComponentVersion(client, where, id);
    equal(component.manifestDigest, pushed.digest);
    equal(formatDescriptor(component.descriptor), formatDescriptor(descriptor));
    for (const [resource, { content }] of Object.entries(contents)) {
      ok(Buffer.from(content).equals(await pullResource(client, component, resource)), resource);
    }
    deepEqual(await client.listTags(component.repository), ["1.4.2.build-build.7"]);
  });
}

for (const [name, start] of [
  ["our registry", () => startRegistry({ users })],
  ["Debian's registry", () => startDockerRegistry(users)],
] as const) {
  describe(`${name} with users`, () => {
    let place: Place;
    beforeAll(async () => {
      place = await started(start(), true);
    });

    test("refuses who has no credentials, and says so without showing any", async () => {
      const where = { baseUrl: place.host };
      const refusal = await pushComponentVersion(clientFor(false), where, { descriptor, blobs }).catch(
        (error: unknown) => error,
      );
      match(String(refusal), /refused no credentials \(401\); add credentials for this host/);
      const wrong = createRegistryClient({
        plainHttp: "loopback",
        credentials: async () => ({ username: "robot", password: new Secret("guess") }),
      });
      stops.push(() => wrong.close());
      const again = String(
        await pushComponentVersion(wrong, where, { descriptor, blobs }).catch((error: unknown) => error),
      );
      match(again, /refused the configured credentials \(401\)/);
      ok(!again.includes("guess"));
    });

    test("takes a large blob in chunks, mounts it elsewhere and gives it back", async () => {
      const { client, host } = place as Place & { client: RegistryClient };
      const large = Buffer.alloc(5_000_000, "kyma ");
      const [source, target] = [parseReference(`${host}/a/source`), parseReference(`${host}/b/target`)];
      const { digest, size } = await client.pushBlob(source, large, { chunkBytes: 2_000_000 });
      await client.pushBlob(target, large, { mountFrom: "a/source" });
      ok(large.equals(await client.pullBlob(target, { digest, size })));
    });

    test("lists who refers to a manifest", async () => {
      const { client, host } = place as Place & { client: RegistryClient };
      const reference = parseReference(`${host}/referred:1`);
      const config = await client.pushBlob(reference, Buffer.from("{}"), { mediaType: mediaTypes.emptyConfig });
      const image = { schemaVersion: 2, mediaType: mediaTypes.ociManifest, config, layers: [] };
      const subject = await client.pushManifest(reference, Buffer.from(JSON.stringify(image)));
      const signature = Buffer.from(JSON.stringify({ ...image, artifactType: "test/signature", subject }));
      await client.pushManifest({ ...parseReference(`${host}/referred`), digest: digestOf(signature) }, signature);
      deepEqual(
        (await client.listReferrers(reference, subject.digest, { artifactType: "test/signature" })).map(
          ({ digest }) => digest,
        ),
        [digestOf(signature)],
      );
      await client.deleteManifest({ ...parseReference(`${host}/referred`), digest: digestOf(signature) });
    });
  });
}

describe("helm", () => {
  let config = "";
  async function helmWith(program: "helm" | "helm3", place: Place, ...args: string[]): Promise<Finished> {
    const auth = Buffer.from(`${user.name}:${user.password}`).toString("base64");
    config = join(scratch, "helm.json");
    await writeFile(config, JSON.stringify({ auths: { [place.host]: { auth } } }));
    const env = {
      HELM_CACHE_HOME: join(scratch, "cache"),
      HELM_CONFIG_HOME: join(scratch, "config"),
      HELM_DATA_HOME: join(scratch, "data"),
    };
    return run((await oracles())[program], [...args, "--plain-http", "--registry-config", config], {
      cwd: scratch,
      env,
    });
  }

  for (const program of ["helm", "helm3"] as const) {
    test(`pushes to our registry what we pull, and pulls what we push (${program})`, async () => {
      const place = await started(startRegistry({ users }), true);
      await writeFile(join(scratch, "demo-1.4.2.tgz"), chart);
      const pushed = await helmWith(program, place, "push", "demo-1.4.2.tgz", `oci://${place.host}/charts`);
      equal(pushed.code, 0, pushed.stderr);

      const reference = parseReference(`${place.host}/charts/demo:1.4.2`);
      const { manifest } = await place.client.pullManifest(reference);
      ok(manifest.kind === "manifest");
      equal(manifest.config?.mediaType, mediaTypes.helmConfig);
      const [layer] = manifest.layers;
      ok(layer && chart.equals(await place.client.pullBlob(reference, layer)));
      deepEqual([...(await readTarGz(chart)).keys()], ["demo/Chart.yaml", "demo/templates/cm.yaml"]);

      const own = parseReference(`${place.host}/own/demo:1.4.2`);
      const chartConfig = Buffer.from(JSON.stringify({ name: "demo", version: "1.4.2", apiVersion: "v2" }));
      const document = {
        schemaVersion: 2,
        mediaType: mediaTypes.ociManifest,
        config: await place.client.pushBlob(own, chartConfig, { mediaType: mediaTypes.helmConfig }),
        layers: [await place.client.pushBlob(own, chart, { mediaType: mediaTypes.helmChart })],
      };
      const { digest } = await place.client.pushManifest(own, Buffer.from(JSON.stringify(document)));
      const folder = await mkdtemp(join(scratch, "pulled-"));
      const pulled = await helmWith(
        program,
        place,
        "pull",
        `oci://${place.host}/own/demo`,
        "--version",
        "1.4.2",
        "-d",
        folder,
      );
      equal(pulled.code, 0, pulled.stderr);
      match(pulled.stdout + pulled.stderr, new RegExp(digest));
      ok(chart.equals(await readFile(join(folder, "demo-1.4.2.tgz"))));
    }, 60_000);
  }
});

describe("the built kyma component", () => {
  test("signs a component in Debian's registry, shows and verifies it, and refuses a changed one", async () => {
    const place = await started(startDockerRegistry(users), true);
    const where = { baseUrl: place.host };
    await pushComponentVersion(place.client, where, { descriptor, blobs });
    const auth = Buffer.from(`${user.name}:${user.password}`).toString("base64");
    await writeFile(join(scratch, "config.json"), JSON.stringify({ auths: { [place.host]: { auth } } }));
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(join(scratch, "key.pem"), pair.privateKey.export({ type: "pkcs8", format: "pem" }));
    await writeFile(join(scratch, "key.pub"), pair.publicKey.export({ type: "spki", format: "pem" }));
    const ref = `${place.host}//${id.name}:${id.version}`;
    const kyma = (...args: string[]): Promise<Finished> =>
      run(process.execPath, [builtProgram("kyma"), "component", ...args], {
        cwd: scratch,
        env: { DOCKER_CONFIG: scratch },
      });

    match((await kyma("verify", ref, "--key", "key.pub")).stderr, /it is unsigned/);
    const signed = await kyma("sign", ref, "--key", "key.pem");
    equal(signed.code, 0, signed.stderr);
    const verified = await kyma("verify", ref, "--key", "key.pub");
    equal(verified.code, 0, verified.stderr);
    match(verified.stdout, /contents of 4 resources are as signed/);
    match((await kyma("get", ref)).stdout, /Signatures: kyma-module-signature/);

    const component = await getComponentVersion(place.client, where, id);
    const changed = { ...component.descriptor, provider: { name: "somebody.else", labels: [] } };
    await pushComponentVersion(place.client, where, { descriptor: changed, blobs });
    const refused = await kyma("verify", ref, "--key", "key.pub");
    equal(refused.code, 1);
    match(refused.stderr, /the component was changed/);
    ok(![signed, verified, refused].some(({ stdout, stderr }) => (stdout + stderr).includes(user.password)));
  }, 60_000);
});

describe("skopeo", () => {
  const skopeo = (...args: string[]): Promise<Finished> =>
    run("skopeo", ["--insecure-policy", ...args], { cwd: scratch });

  test("copies a component version from our registry to a layout that we read, and back", async () => {
    const place = await started(startRegistry(), false);
    const where = { baseUrl: place.host };
    const pushed = await pushComponentVersion(place.client, where, { descriptor, blobs });
    const layout = join(scratch, "skopeo");
    const out = await skopeo(
      "copy",
      "--src-tls-verify=false",
      `docker://${pushed.reference}`,
      `oci:${layout}:1.4.2.build-build.7`,
    );
    equal(out.code, 0, out.stderr);
    const component = await getComponentVersion(createLayoutClient(filesIn(layout)), where, id);
    equal(component.manifestDigest, pushed.digest);

    const back = await skopeo(
      "copy",
      "--dest-tls-verify=false",
      `oci:${layout}:1.4.2.build-build.7`,
      `docker://${place.host}/copied:1`,
    );
    equal(back.code, 0, back.stderr);
    equal((await place.client.resolve(parseReference(`${place.host}/copied:1`))).digest, pushed.digest);
  });

  test("reads a layout that we wrote", async () => {
    const layout = join(scratch, "written");
    const client = createLayoutClient(filesIn(layout));
    const pushed = await pushComponentVersion(client, { baseUrl: "layout.invalid" }, { descriptor, blobs });
    const shown = await skopeo("inspect", "--raw", `oci:${layout}:1.4.2.build-build.7`);
    equal(shown.code, 0, shown.stderr);
    equal(digestOf(shown.stdout), pushed.digest);
  });
});
