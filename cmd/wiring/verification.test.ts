import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "@jest/globals";
import { type AnyObject, type Client, kubeErrors } from "@kyma-operators/kube";
import { type ComponentVersion, parseDescriptor, signDescriptor } from "@kyma-operators/ocm";
import { digestOf, parseReference, type RegistryClient } from "oras-js";
import { componentVerification, keysFrom, type VerificationFlags, verificationPolicy } from "./verification.ts";

const scratch = mkdtempSync(join(tmpdir(), "kyma-verification-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = pair.publicKey.export({ type: "spki", format: "pem" }).toString();

function secret(name: string, key: string, labels: Record<string, string> = {}): AnyObject {
  const data = { [key]: Buffer.from(pem).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: "kcp-system", name, labels }, data };
}

/** A control plane with Secrets; answers label queries of the form `a=b,c=d`. */
function clusterWith(...secrets: readonly AnyObject[]): Client {
  return {
    get: async ({ name }: { name: string }) => {
      const found = secrets.find(({ metadata }) => metadata.name === name);
      if (found !== undefined) return found;
      throw kubeErrors.NOT_FOUND({ method: "GET", path: "/", status: 404, reason: "NotFound", message: "" });
    },
    list: async (_: unknown, { labelSelector = "" }: { labelSelector?: string }) => ({
      items: secrets.filter(({ metadata }) =>
        labelSelector.split(",").every((pair) => metadata.labels?.[pair.split("=")[0] ?? ""] === pair.split("=")[1]),
      ),
    }),
  } as unknown as Client;
}

const off: VerificationFlags = { enabled: false, keyFile: "", policyFile: "" };
const file = (name: string, text: string): string => {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
};

const layer = digestOf("kind: ConfigMap");
const descriptor = parseDescriptor({
  meta: { schemaVersion: "v2" },
  component: {
    name: "example.org/module/template-operator",
    version: "1.0.0",
    provider: "p",
    repositoryContexts: [],
    resources: [
      {
        name: "raw-manifest",
        type: "yaml",
        version: "1.0.0",
        relation: "local",
        access: { type: "localBlob", localReference: layer, mediaType: "text/yaml" },
        digest: { hashAlgorithm: "SHA-256", normalisationAlgorithm: "genericBlobDigest/v1", value: layer.slice(7) },
      },
    ],
    sources: [],
    componentReferences: [],
  },
});
const component = (signed: boolean): ComponentVersion => ({
  descriptor: signed ? signDescriptor(descriptor, { name: "kyma-module-signature", key: pair.privateKey }) : descriptor,
  repository: parseReference("reg.io/component-descriptors/example.org/module/template-operator"),
  manifestDigest: layer,
  layers: [],
});

const verification = (
  flags: Partial<VerificationFlags>,
  client = clusterWith(),
): ReturnType<typeof componentVerification> =>
  componentVerification(
    { ...off, ...flags },
    { client, registry: {} as RegistryClient, clock: { now: () => 0 }, namespace: "kcp-system" },
  );

const labelled = secret("key", "key", {
  "operator.kyma-project.io/signature": "kyma-module-signature",
  "operator.kyma-project.io/module-name": "template-operator",
});

describe("without flags", () => {
  test("a component goes on as it is", async () => {
    const unsigned = component(false);
    equal(await (await verification({}))(unsigned), unsigned);
  });
});

describe("--enable-verification", () => {
  test("lets signed components pass, by a key file or by labelled Secrets", async () => {
    const keyFile = file("key.pem", pem);
    deepEqual(
      (await (await verification({ enabled: true, keyFile }))(component(true))).descriptor.name,
      descriptor.name,
    );
    await (await verification({ enabled: true }, clusterWith(labelled)))(component(true));
  });

  test("refuses the unsigned, and what there is no key for, with a reason that stands alone", async () => {
    const verify = await verification({ enabled: true }, clusterWith(labelled));
    await rejects(verify(component(false)), (error: Error & { detail?: { reason?: string } }) => {
      match(error.detail?.reason ?? "", /^signature "kyma-module-signature" refused: .*it is unsigned/);
      return true;
    });
    await rejects((await verification({ enabled: true }))(component(true)), /no public key was found for it/);
  });

  test("does not start with a key file that is not there", async () => {
    await rejects(
      verification({ enabled: true, keyFile: join(scratch, "absent") }),
      /verification of modules: .*absent cannot be read/,
    );
  });
});

describe("--verification-policy", () => {
  test("names what must hold per repository, with keys from Secrets", async () => {
    const policyFile = file(
      "policy.yaml",
      "components: [{repository: 'reg.io/**', require: signature, keys: [{secret: {namespace: kcp-system, name: module-key, key: pub}}]}]",
    );
    await (await verification({ policyFile }, clusterWith(secret("module-key", "pub"))))(component(true));
    await rejects((await verification({ policyFile }))(component(true)), /no public key was found/);
  });

  test("keeps the operator from starting when it cannot be read", async () => {
    await rejects(
      verificationPolicy({ ...off, policyFile: file("bad.yaml", "component: []") }),
      /bad\.yaml: document\.component: unknown field/,
    );
    await rejects(verificationPolicy({ ...off, policyFile: join(scratch, "absent") }), /absent cannot be read/);
    await rejects(verificationPolicy({ ...off, policyFile: "a", enabled: true }), /give one/);
  });
});

test("a Secret without the key gives none", async () => {
  const keys = keysFrom(clusterWith(secret("s", "other")), "kcp-system");
  deepEqual(
    await keys(
      { kind: "secret", namespace: "kcp-system", name: "s", key: "key" },
      { signature: "x", component: "a.b/c" },
    ),
    [],
  );
});
