import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, test } from "@jest/globals";
import {
  type CosignClient,
  cosignManifest,
  cosignPayload,
  cosignTag,
  createLayoutClient,
  filesInMemory,
  mediaTypes,
  parseReference,
} from "oras-js";
import { parseVerificationPolicy, ruleFor, type VerificationPolicy } from "./policy.ts";
import type { ComponentVersion } from "./pull.ts";
import { signDescriptor } from "./signature.ts";
import { example, exampleDocument, exampleWith } from "./testing.ts";
import type { ComponentDescriptor } from "./types.ts";
import { type KeySource, Verifier, type VerifierDependencies } from "./verifier.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
const signed = signDescriptor(exampleWith(), { name: "kyma-module-signature", key: pair.privateKey });

const policy = (text: string): VerificationPolicy =>
  parseVerificationPolicy(text, { source: "policy.yaml", signature: "kyma-module-signature" });
const version = (descriptor: ComponentDescriptor, repository = "reg.io/modules/x"): ComponentVersion => ({
  descriptor,
  repository: parseReference(repository),
  manifestDigest: example.digests.manifest,
  layers: [],
});
const noKeys: KeySource = async () => [];
const someKeys =
  (...keys: readonly string[]): KeySource =>
  async () =>
    keys.map((one, i) => ({ pem: one, source: `Secret kcp-system/key-${i}` }));

const layout = createLayoutClient(filesInMemory(new Map()));
const noReferrers: CosignClient = { ...layout, listReferrers: async () => [] };

function verifier(deps: Partial<VerifierDependencies>): Verifier {
  return new Verifier({ policy: strict, keys: noKeys, client: noReferrers, clock: { now: () => 0 }, ...deps });
}

const strict = policy("components: [{repository: 'reg.io/modules/**', require: signature}]");
const digestOnly = policy("components: [{repository: 'reg.io/**', require: digest}]");
const used = ["raw-manifest"];
const [raw, image] = exampleDocument.component.resources;

describe("a component", () => {
  test("that is signed and covered passes as it is", async () => {
    const component = version(signed);
    deepEqual(await verifier({ keys: someKeys(pem(pair.publicKey)) }).verify(component, used), component);
  });

  test("passes with any of several keys", async () => {
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
    await verifier({ keys: someKeys(pem(other), pem(pair.publicKey)) }).verify(version(signed), used);
  });

  test("outside of every rule, or under a rule that requires nothing, passes", async () => {
    await verifier({}).verify(version(exampleWith(), "other.io/x"), used);
    await verifier({ policy: policy("components: [{repository: '**', require: none}]") }).verify(
      version(exampleWith()),
      used,
    );
  });

  test("needs digests, but no signature, where the policy says digest", async () => {
    const lenient = verifier({ policy: digestOnly });
    await lenient.verify(version(exampleWith()), used);
    await rejects(
      lenient.verify(version(exampleWith({ resources: [{ ...raw, digest: undefined }] })), used),
      /has no digest/,
    );
  });

  test("goes on with references that cannot lead to anything else", async () => {
    const { descriptor } = await verifier({ policy: digestOnly }).verify(version(exampleWith()), [
      "raw-manifest",
      "demo-manager",
    ]);
    equal(
      descriptor.resources[1]?.access["imageReference"],
      `reg.local:5001/images/demo-manager:1.4.2@sha256:${image.digest.value}`,
    );
  });

  const loose = [
    {
      name: "a chart in a classic repository",
      access: { type: "helm", helmRepository: "https://charts.io", helmChart: "c:1" },
    },
    {
      name: "several blobs",
      access: { type: "localBlob", localReference: `${example.digests.tar},${example.digests.config}`, mediaType: "" },
    },
  ];
  for (const { name, access } of loose) {
    test(`is refused when it uses ${name}, which no digest can be put into`, async () => {
      const component = version(exampleWith({ resources: [{ ...raw, access }] }));
      await rejects(verifier({ policy: digestOnly }).verify(component, used), /cannot be held to its digest/);
    });
  }

  const refused = [
    {
      name: "without signature",
      descriptor: exampleWith(),
      keys: someKeys(pem(pair.publicKey)),
      reason: /it is unsigned/,
    },
    { name: "when no key is found", descriptor: signed, keys: noKeys, reason: /no public key was found for it/ },
    {
      name: "when the key is another one",
      descriptor: signed,
      keys: someKeys(pem(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey)),
      reason: /not made with this key/,
    },
    {
      name: "when a key cannot be read",
      descriptor: signed,
      keys: someKeys("nonsense"),
      reason: /key Secret kcp-system\/key-0: expected a public key/,
    },
    {
      name: "whose signed content was changed",
      descriptor: { ...signed, labels: [] },
      keys: someKeys(pem(pair.publicKey)),
      reason: /the component was changed/,
    },
  ];
  for (const { name, descriptor, keys, reason } of refused) {
    test(`is refused ${name}`, async () => rejects(verifier({ keys }).verify(version(descriptor), used), reason));
  }

  test("is refused when the keys cannot be looked up", async () => {
    const down: KeySource = async () => Promise.reject(new Error("API server is down"));
    await rejects(verifier({ keys: down }).verify(version(signed), used), /API server is down/);
  });

  test("is refused for a used resource that it does not have", async () => {
    await rejects(verifier({ policy: digestOnly }).verify(version(signed), ["crds"]), /no resource "crds"/);
  });

  test("is judged once in a while, a refused one more often", async () => {
    let lookups = 0;
    let nowMs = 0;
    const keys: KeySource = async () => {
      lookups += 1;
      return lookups < 3 ? [] : [{ pem: pem(pair.publicKey), source: "s" }];
    };
    const judge = verifier({ keys, clock: { now: () => nowMs }, recheckMs: 1_000 });
    const component = version(signed);
    await rejects(judge.verify(component, used));
    await rejects(judge.verify(component, used));
    equal(lookups, 1);
    nowMs = 100;
    await rejects(judge.verify(component, used));
    nowMs = 200;
    await judge.verify(component, used);
    nowMs = 1_199;
    await judge.verify(component, used);
    equal(lookups, 3);
    nowMs = 1_200;
    await judge.verify(component, used);
    equal(lookups, 4);
  });
});

describe("an image", () => {
  const rules = (text: string): Partial<VerifierDependencies> => ({
    policy: policy(`images: [${text}]`),
    keys: someKeys(pem(pair.publicKey)),
  });
  const at = (imageReference: string): ComponentVersion =>
    version(exampleWith({ resources: [{ ...image, access: { ...image.access, imageReference } }] }));

  test("must be pinned where the policy says digest", async () => {
    const pinned = at(`reg.io/pinned/a@${example.digests.manifest}`);
    const judge = verifier(rules("{repository: 'reg.io/pinned/*', require: digest}"));
    deepEqual(await judge.verify(pinned, []), pinned);
    await rejects(judge.verify(at("reg.io/pinned/a:1"), []), /asks for a digest in reg\.io\/pinned\/a:1/);
  });

  test("must be signed where the policy says signature, and is then pinned", async () => {
    const reference = parseReference("reg.io/a:1");
    const config = await layout.pushBlob(reference, Buffer.from("{}"), { mediaType: mediaTypes.emptyConfig });
    const document = { schemaVersion: 2, mediaType: mediaTypes.ociManifest, config, layers: [] };
    const { digest } = await layout.pushManifest(reference, Buffer.from(JSON.stringify(document)));
    const judge = verifier(rules("{repository: 'reg.io/**', require: signature}"));
    await rejects(judge.verify(at("reg.io/a:1"), []), /has no cosign signature/);

    const payload = cosignPayload({ ...reference, digest });
    await layout.pushBlob(reference, payload);
    const signature = cosignManifest(payload, sign("sha256", payload, pair.privateKey), config);
    await layout.pushManifest({ ...reference, tag: cosignTag(digest) }, signature);
    const { descriptor } = await judge.verify(at("reg.io/a:1"), []);
    equal(descriptor.resources[0]?.access["imageReference"], `reg.io/a:1@${digest}`);
  });

  test("of another repository is left alone", async () => {
    const other = at("other.io/a:1");
    deepEqual(await verifier(rules("{repository: 'reg.io/**', require: signature}")).verify(other, []), other);
  });
});

describe("a policy", () => {
  test("finds the first rule that matches", () => {
    const { components } = policy(`
components:
- {repository: reg.io/modules/exact, require: none}
- {repository: "reg.io/*/beta-*", require: digest}
- {repository: "reg.io/**/x", require: signature}
- {repository: "reg.io/**", require: digest}
`);
    const at = (repository: string): number => components.findIndex((rule) => rule === ruleFor(components, repository));
    deepEqual(
      [
        "reg.io/modules/exact",
        "reg.io/a/beta-1",
        "reg.io/a/b/c/x",
        "reg.io/x",
        "reg.io/other",
        "reg.io.evil.com/a",
        "reg.io",
      ].map(at),
      [0, 1, 2, 2, 3, -1, 3],
    );
  });

  test("names keys by PEM text, by Secret, or by label when it says nothing", () => {
    const { components } = policy(`
components:
- {repository: a, require: signature, signature: mine, keys: [{pem: text}, {secret: {namespace: kcp, name: s}}, {secret: {namespace: kcp, name: s, key: k}}]}
- {repository: b, require: signature}
`);
    deepEqual(components[0]?.keys, [
      { kind: "pem", pem: "text" },
      { kind: "secret", namespace: "kcp", name: "s", key: "key" },
      { kind: "secret", namespace: "kcp", name: "s", key: "k" },
    ]);
    equal(components[0]?.signature, "mine");
    deepEqual(components[1]?.keys, [{ kind: "labelled" }]);
  });

  const refused = [
    {
      name: "an unknown requirement",
      text: "components: [{repository: a, require: signatur}]",
      reason: /policy\.yaml: components\[0\]\.require: expected one of none, digest, signature/,
    },
    {
      name: "a misspelt field",
      text: "components: [{repository: a, require: none, key: []}]",
      reason: /components\[0\]\.key: unknown field/,
    },
    { name: "a misspelt list", text: "component: []", reason: /document\.component: unknown field/ },
    { name: "no repository", text: "images: [{require: none}]", reason: /images\[0\]\.repository: expected a text/ },
    {
      name: "a key that is nowhere",
      text: "components: [{repository: a, require: signature, keys: [{}]}]",
      reason: /keys\[0\]\.secret: expected an object/,
    },
    { name: "a list that is none", text: "components: {}", reason: /components: expected a list/ },
    { name: "an empty document", text: "", reason: /document: expected an object/ },
    { name: "a key given twice", text: "components: []\ncomponents: []", reason: /document:/ },
    { name: "no YAML", text: "a: [", reason: /document:/ },
  ];
  for (const { name, text, reason } of refused)
    test(`is refused for ${name}`, () => throws(() => policy(text), reason));
});
