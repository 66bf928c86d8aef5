import { deepEqual, equal, match, ok } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "@jest/globals";
import {
  createTransportClient,
  formatDescriptor,
  parseDescriptor,
  pushComponentVersion,
  writeTransportArchive,
} from "@kyma-operators/ocm";
import { createRegistryClient, digestOf, filesInMemory, type RegistryClient } from "oras-js";
import { type Registry, startRegistry } from "../../local/registry/registry.ts";
import { runCli } from "../run.ts";
import { systemFiles } from "../system-files.ts";
import { fakeIo } from "../testing.ts";

const manifest = Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: demo}\n");
const reference = digestOf(manifest);

const descriptor = parseDescriptor({
  meta: { schemaVersion: "v2" },
  component: {
    name: "example.org/module/demo",
    version: "1.4.2+rc.1",
    provider: "example.org",
    repositoryContexts: [],
    resources: [
      {
        name: "raw-manifest",
        type: "yaml",
        version: "1.4.2+rc.1",
        relation: "local",
        access: { type: "localBlob", localReference: reference, mediaType: "application/octet-stream" },
      },
    ],
    sources: [],
    componentReferences: [],
  },
});

let scratch = "";
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "kyma-component-"));
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(join(scratch, "rsa.pem"), rsa.privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(scratch, "rsa.pub"), rsa.publicKey.export({ type: "spki", format: "pem" }));
  await writeFile(join(scratch, "ec.pem"), ec.privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(scratch, "ec.pub"), ec.publicKey.export({ type: "spki", format: "pem" }));
  await writeFile(join(scratch, "descriptor.yaml"), formatDescriptor(descriptor));
});
afterAll(() => rm(scratch, { recursive: true }));

async function kyma(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = fakeIo({ files: systemFiles(scratch), env: { DOCKER_CONFIG: scratch } });
  const code = await runCli(["component", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

describe("kyma component digest", () => {
  test("prints the digest, or the text that it is of", async () => {
    const { code, out } = await kyma("digest", "descriptor.yaml");
    equal(code, 0);
    match(out, /^[0-9a-f]{64}\n$/);
    const shown = await kyma(
      "digest",
      "descriptor.yaml",
      "--normalisation",
      "jsonNormalisation/v1",
      "--show-normalised",
    );
    match(shown.out, /^\[\{"component":\[\{"componentReferences":\[\]\}.*\n$/);
  });

  test("refuses a normalisation that does not exist as a usage error", async () => {
    equal((await kyma("digest", "descriptor.yaml", "--normalisation", "v9")).code, 4);
  });
});

describe("a component version in a registry", () => {
  let registry: Registry;
  let client: RegistryClient;
  let ref = "";

  beforeEach(async () => {
    registry = await startRegistry({ users: { robot: "s3cret" } });
    await writeFile(
      join(scratch, "config.json"),
      JSON.stringify({ auths: { [registry.host]: { username: "robot", password: "s3cret" } } }),
    );
    const { Secret } = await import("@kyma-operators/errors");
    client = createRegistryClient({
      plainHttp: "loopback",
      credentials: async () => ({ username: "robot", password: new Secret("s3cret") }),
    });
    await pushComponentVersion(
      client,
      { baseUrl: `${registry.host}/modules` },
      { descriptor, blobs: [{ digest: reference, content: manifest }] },
    );
    ref = `${registry.host}/modules//example.org/module/demo:1.4.2+rc.1`;
  });
  afterEach(async () => {
    await client.close();
    await registry.stop();
  });

  test("is shown to people and to scripts", async () => {
    const shown = await kyma("get", ref);
    match(shown.out, /^Component: {2}example\.org\/module\/demo:1\.4\.2\+rc\.1$/m);
    match(shown.out, /^raw-manifest {3}yaml/m);
    const byTag = await kyma(
      "get",
      `${registry.host}/modules/component-descriptors/example.org/module/demo:1.4.2.build-rc.1`,
      "-o",
      "yaml",
    );
    equal(byTag.out, formatDescriptor(descriptor));
  });

  test("hands out a resource", async () => {
    const { code, out } = await kyma("get", ref, "--resource", "raw-manifest", "--to", "out.yaml");
    deepEqual({ code, out }, { code: 0, out: `out.yaml: ${manifest.length} bytes\n` });
    ok(manifest.equals(await systemFiles(scratch).read("out.yaml")));
  });

  for (const [kind, algorithm] of [
    ["rsa", "RSASSA-PKCS1-V1_5"],
    ["rsa", "RSASSA-PSS"],
    ["ec", "ECDSA"],
  ] as const) {
    test(`is signed with ${algorithm} and verified`, async () => {
      equal((await kyma("sign", ref, "--key", `${kind}.pem`, "--algorithm", algorithm)).code, 0);
      const { code, out } = await kyma("verify", ref, "--key", `${kind}.pub`);
      equal(code, 0);
      match(out, new RegExp(`signature kyma-module-signature \\(${algorithm}\\) is valid`));
      match(out, /contents of 1 resources are as signed/);
    });
  }

  test("is refused while it is unsigned, and with a wrong key", async () => {
    match((await kyma("verify", ref, "--key", "rsa.pub")).err, /it is unsigned/);
    await kyma("sign", ref, "--key", "rsa.pem");
    const { code, err } = await kyma("verify", ref, "--key", "ec.pub");
    equal(code, 1);
    match(err, /the key is of another type/);
  });

  test("keeps a signature unless it may be replaced", async () => {
    await kyma("sign", ref, "--key", "rsa.pem");
    match((await kyma("sign", ref, "--key", "ec.pem")).err, /a signature of this name exists/);
    equal((await kyma("sign", ref, "--key", "ec.pem", "--replace")).code, 0);
    equal((await kyma("verify", ref, "--key", "ec.pub")).code, 0);
  });

  test("says what is missing, without a credential", async () => {
    await writeFile(
      join(scratch, "config.json"),
      JSON.stringify({ auths: { [registry.host]: { username: "robot", password: "wr0ng" } } }),
    );
    const { code, err } = await kyma("get", ref);
    equal(code, 1);
    match(err, /refused the configured credentials \(401\)/);
    ok(!err.includes("wr0ng"));
  });
});

describe("a component version in a transport archive", () => {
  test("is signed in place, in a file as in a folder", async () => {
    const files = new Map<string, Uint8Array>();
    const archive = createTransportClient(filesInMemory(files));
    await pushComponentVersion(
      archive,
      { baseUrl: "archive.invalid" },
      { descriptor, blobs: [{ digest: reference, content: manifest }] },
    );
    await writeFile(join(scratch, "demo.tar"), writeTransportArchive(files));
    for (const [path, content] of files) await systemFiles(scratch).write(`folder/${path}`, content);

    for (const place of ["demo.tar", "folder"]) {
      const ref = `${place}//example.org/module/demo:1.4.2+rc.1`;
      equal((await kyma("sign", ref, "--key", "rsa.pem")).err, "");
      equal((await kyma("verify", ref, "--key", "rsa.pub")).err, "");
    }
  });
});

test("a text that names no component version is a usage error", async () => {
  const { code, err } = await kyma("get", "registry.example.org/image:1");
  equal(code, 4);
  match(err, /names no component version/);
});
