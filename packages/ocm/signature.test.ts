import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import { describe, test } from "@jest/globals";
import { createLayoutClient, digestOf, filesInMemory, parseReference, type Repository } from "oras-js";
import { completeDigests, completeReferences, verifyContents, verifyCoverage } from "./contents.ts";
import { normalisations } from "./normalise.ts";
import { parsePrivateKey, parsePublicKey, signatureAlgorithms, signDescriptor, verifySignature } from "./signature.ts";
import { example, exampleDocument, exampleWith } from "./testing.ts";
import type { ComponentDescriptor, Signature } from "./types.ts";

/** Test vector of our OCM specification, for the jsonNormalisation/v2 digest of the worked example. */
const vector = {
  key: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA6++QyjiuodnAN/krurQ5
X5mbj6bOOaS0mQx1c0w48kbylDYLd+McltmM6V3F1CWyFDi8NWFG1NkBVTYNnJ7E
S1gQodg0psVizuzUgfgktpWNALOtZbfh9BAI1rX4c11WuVf7XRd2zpkTI4x2tUf7
o4BI+UWeQrdPEAc3vtid9qUzVqQLK0wyGEMZC6FibgWd6vxIYukTEP/J27MSsqiU
s5eZzT4W/lMmFzaeedm0s5etVb+TrjqtQ5RaV+IucXS512PHrDReNkzgjxstg8gX
fWBCDez1aD8xH2gGY2uhnee1v2B0fG7OFYmCA4CFc7HT1d2p+sXRq9Pym2kKAFri
ewIDAQAB
-----END PUBLIC KEY-----
`,
  value:
    "86ab9df4f5cbcb475f3485270fae53852ac8ac5ce29804963c703294f648f3f6c189a94de81b82cf81f393ad42faaaf6253bae1b54077781f1f289cc31c17a0eed9bcd289cfca3071df19c5e37444867850605dbc8b05f45d6d5f16e783a96b4f4cc0f492e2eb9ea3d156de5e1687d1c218e7fa6d13e8fd5bd3c84f7c3e59f3d8d8c6b4017798d8bbdf7591eec63f62f0ac57dbd63f98c7a164721261ef8f6a8973759888221548f87e09ec89bbbb7edc8073c8920c5153d2a5489d3af930276dea9e9b1a468fb2f069687f63d387aff5d2757c910afe21cba9a9d8c5ad87f9759a6014a879a7b60e84704a3866e4fe8c2667b70f9e8232a5a8192b32febef8a",
} as const;

const recorded: Signature = {
  name: "kyma-module-signature",
  digest: { hashAlgorithm: "SHA-256", normalisationAlgorithm: "jsonNormalisation/v2", value: example.digests.v2 },
  signature: {
    algorithm: "RSASSA-PKCS1-V1_5",
    mediaType: "application/vnd.ocm.signature.rsa",
    value: vector.value,
    issuer: "kyma-cli",
  },
};

const signedBy = (signature: Signature): ComponentDescriptor => ({ ...exampleWith(), signatures: [signature] });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-384" });
const key = parsePublicKey(vector.key, "vector");

describe("the recorded signature", () => {
  test("verifies", () => {
    deepEqual(verifySignature(signedBy(recorded), "kyma-module-signature", key), recorded);
  });

  test("fails with one changed byte", () => {
    const value = vector.value.replace("86ab", "86ac");
    throws(
      () => verifySignature(signedBy({ ...recorded, signature: { ...recorded.signature, value } }), recorded.name, key),
      /was not made with this key/,
    );
  });

  test("fails for a changed component, whatever digest it carries", () => {
    const changed = { ...exampleWith({ labels: [] }), signatures: [recorded] };
    throws(() => verifySignature(changed, recorded.name, key), /the component was changed/);
  });
});

describe("signDescriptor", () => {
  for (const algorithm of signatureAlgorithms) {
    for (const normalisation of normalisations) {
      for (const hash of ["SHA-256", "SHA-512"] as const) {
        test(`with ${algorithm}, ${normalisation} and ${hash} verifies, and not with another key`, () => {
          const pair = algorithm === "ECDSA" ? ec : rsa;
          const signed = signDescriptor(exampleWith(), {
            name: "s",
            key: pair.privateKey,
            algorithm,
            normalisation,
            hash,
            issuer: "me",
          });
          equal(verifySignature(signed, "s", pair.publicKey).signature.issuer, "me");
          throws(() => verifySignature(signed, "s", key), /not made with this key|key is of another type/);
        });
      }
    }
  }

  test("keeps other signatures, and replaces its own only when told so", () => {
    const once = signDescriptor(signedBy(recorded), { name: "second", key: ec.privateKey });
    equal(once.signatures.length, 2);
    throws(() => signDescriptor(once, { name: "second", key: rsa.privateKey }), /a signature of this name exists/);
    const twice = signDescriptor(once, { name: "second", key: rsa.privateKey, replace: true });
    equal(twice.signatures.length, 2);
    verifySignature(twice, "second", rsa.publicKey);
    verifySignature(twice, recorded.name, key);
  });

  test("refuses an algorithm that the key cannot", () => {
    throws(
      () => signDescriptor(exampleWith(), { name: "s", key: ec.privateKey, algorithm: "RSASSA-PSS" }),
      /cannot sign with RSASSA-PSS/,
    );
  });
});

describe("verifySignature refuses", () => {
  const cases: readonly { name: string; descriptor: ComponentDescriptor; reason: RegExp }[] = [
    { name: "an unsigned component", descriptor: exampleWith(), reason: /it is unsigned/ },
    {
      name: "a component signed under another name",
      descriptor: signedBy({ ...recorded, name: "other" }),
      reason: /found other/,
    },
    {
      name: "a signature that is there twice",
      descriptor: { ...exampleWith(), signatures: [recorded, recorded] },
      reason: /more than once/,
    },
    {
      name: "an unknown algorithm",
      descriptor: signedBy({ ...recorded, signature: { ...recorded.signature, algorithm: "none" } }),
      reason: /algorithm "none" is not supported/,
    },
    {
      name: "an unknown media type",
      descriptor: signedBy({ ...recorded, signature: { ...recorded.signature, mediaType: "text/plain" } }),
      reason: /media type "text\/plain"/,
    },
    {
      name: "a value that is no hex",
      descriptor: signedBy({ ...recorded, signature: { ...recorded.signature, value: "zz" } }),
      reason: /no hex|not hex/,
    },
    {
      name: "an unknown hash",
      descriptor: signedBy({ ...recorded, digest: { ...recorded.digest, hashAlgorithm: "MD5" } }),
      reason: /hash algorithm "MD5"/,
    },
    {
      name: "a hash named like a property of every object",
      descriptor: signedBy({ ...recorded, digest: { ...recorded.digest, hashAlgorithm: "constructor" } }),
      reason: /hash algorithm/,
    },
    {
      name: "an unknown normalisation",
      descriptor: signedBy({ ...recorded, digest: { ...recorded.digest, normalisationAlgorithm: "x" } }),
      reason: /normalisation "x" is unknown/,
    },
  ];
  for (const { name, descriptor, reason } of cases) {
    test(name, () => throws(() => verifySignature(descriptor, recorded.name, key), reason));
  }
});

describe("keys", () => {
  const pem = (pair: typeof rsa): string => pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

  test("that are weak, of another kind, or no keys are refused by name", () => {
    const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ type: "spki", format: "pem" });
    const ed = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" });
    throws(() => parsePublicKey(weak, "Secret a/b"), /key Secret a\/b: RSA key of 1024 bits, at least 2048/);
    throws(() => parsePublicKey(ed, "k"), /expected an RSA or EC key, found ed25519/);
    throws(() => parsePublicKey("nonsense", "k"), /expected a public key in PEM form/);
    throws(() => parsePrivateKey(vector.key, "k"), /expected a private key in PEM form/);
  });

  test("that are private are not accepted in place of public ones, and not shown", () => {
    throws(
      () => parsePublicKey(pem(rsa), "k"),
      (error: unknown) => {
        const text = inspect(error, { depth: 9 });
        match(text, /found a private one/);
        ok(!text.includes(pem(rsa).slice(40, 80)));
        return true;
      },
    );
  });
});

describe("contents", () => {
  const repository: Repository = parseReference("reg.io/repo");
  const [raw, image] = exampleDocument.component.resources;
  const client = createLayoutClient(filesInMemory(new Map()));
  const local = (more: object = {}): ComponentDescriptor => exampleWith({ resources: [{ ...raw, ...more }] });
  const withoutDigest = local({ digest: undefined });

  test("are what the digests say, and digests are filled in", async () => {
    await client.pushBlob(repository, Buffer.from(example.rawManifest));
    deepEqual(await verifyContents(client, { descriptor: local(), repository }), []);
    deepEqual(await completeDigests(client, { descriptor: withoutDigest, repository }), local());
    deepEqual(await completeDigests(client, { descriptor: local(), repository }), local());
  });

  test("without digest, or with another one, are refused", async () => {
    await client.pushBlob(repository, Buffer.from(example.rawManifest));
    const wrong = local({ digest: { ...raw.digest, value: "0".repeat(64) } });
    await rejects(
      verifyContents(client, { descriptor: withoutDigest, repository }),
      /has no digest, so nothing fixes its content/,
    );
    await rejects(
      verifyContents(client, { descriptor: wrong, repository }),
      /expected SHA-256 0{64}.*its content has SHA-256 e9fb/,
    );
    await rejects(completeDigests(client, { descriptor: wrong, repository }), /its content has/);
  });

  test("that cannot be fetched from a registry are named", async () => {
    const descriptor = exampleWith({
      resources: [
        { ...raw, access: { type: "s3" } },
        { ...image, access: { type: "none" } },
      ],
    });
    deepEqual(await verifyContents(client, { descriptor, repository }), ["raw-manifest", "demo-manager"]);
  });

  const coverage: readonly { name: string; change: object; reason: RegExp }[] = [
    { name: "without digest", change: { digest: undefined }, reason: /has no digest/ },
    {
      name: "excluded from the signature",
      change: {
        digest: { hashAlgorithm: "NO-DIGEST", normalisationAlgorithm: "EXCLUDE-FROM-SIGNATURE", value: "NO-DIGEST" },
      },
      reason: /excluded from the signature/,
    },
    { name: "with an unknown hash", change: { digest: { ...raw.digest, hashAlgorithm: "MD5" } }, reason: /hash MD5/ },
    {
      name: "whose access names other content",
      change: { access: { ...raw.access, localReference: digestOf("evil") } },
      reason: /its access names sha256:/,
    },
  ];
  for (const { name, change, reason } of coverage) {
    test(`are not covered for a resource ${name}`, () => {
      const descriptor = local(change);
      const [resource] = descriptor.resources;
      ok(resource);
      throws(() => verifyCoverage(descriptor, resource), reason);
    });
  }

  test("are covered for a resource whose digest is that of its access", () => {
    const [resource] = local().resources;
    ok(resource);
    equal(verifyCoverage(local(), resource), example.digests.rawManifest);
  });
});

describe("references", () => {
  const dep = { name: "dep", componentName: "example.org/module/dep", version: "1.0.0" };
  const inner = exampleWith({ name: dep.componentName, version: "1.0.0", resources: [] });

  test("get the digest of what they refer to", async () => {
    const outer = await completeReferences(
      exampleWith({ componentReferences: [dep] }),
      async () => inner,
      "jsonNormalisation/v3",
    );
    const [reference] = outer.references;
    match(reference?.digest?.value ?? "", /^[0-9a-f]{64}$/);
    deepEqual(await completeReferences(outer, async () => inner, "jsonNormalisation/v3"), outer);
    const changed = { ...inner, version: "1.0.1" };
    await rejects(
      completeReferences(outer, async () => changed, "jsonNormalisation/v3"),
      /resource dep: expected SHA-256/,
    );
  });

  test("that form a circle end", async () => {
    const circle = exampleWith({ componentReferences: [dep] });
    await rejects(
      completeReferences(circle, async () => circle, "jsonNormalisation/v3"),
      /deeper than 16 components/,
    );
  });
});
