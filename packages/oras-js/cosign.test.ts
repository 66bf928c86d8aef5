import { equal, rejects } from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, test } from "@jest/globals";
import { type CosignClient, cosignManifest, cosignPayload, cosignTag, verifyCosign } from "./cosign.ts";
import { filesInMemory } from "./file-client.ts";
import { createLayoutClient } from "./layout.ts";
import { mediaTypes } from "./media-types.ts";
import { parseReference, type Reference } from "./reference.ts";

const image = parseReference("reg.io/team/app:1.0");
const keys = {
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ed: generateKeyPairSync("ed25519"),
};

interface Signed {
  readonly client: CosignClient;
  readonly digest: string;
}

async function signedImage(
  signer?: KeyObject,
  change: (payload: Uint8Array) => Uint8Array = (payload) => payload,
): Promise<Signed> {
  const files = createLayoutClient(filesInMemory(new Map()));
  const client: CosignClient = { ...files, listReferrers: async () => [] };
  const config = await files.pushBlob(image, Buffer.from("{}"), { mediaType: mediaTypes.emptyConfig });
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.ociManifest, config, layers: [] };
  const { digest } = await files.pushManifest(image, Buffer.from(JSON.stringify(manifest)));
  if (signer === undefined) return { client, digest };
  const payload = change(cosignPayload({ ...image, digest }));
  const signature = sign(signer.asymmetricKeyType === "ed25519" ? null : "sha256", payload, signer);
  await files.pushBlob(image, payload);
  await files.pushManifest({ ...image, tag: cosignTag(digest) }, cosignManifest(payload, signature, config));
  return { client, digest };
}

describe("verifyCosign", () => {
  for (const [name, { privateKey, publicKey }] of Object.entries(keys)) {
    test(`accepts an image signed with an ${name} key, and answers its digest`, async () => {
      const { client, digest } = await signedImage(privateKey);
      const verified: Reference = await verifyCosign(client, image, [publicKey]);
      equal(verified.digest, digest);
    });
  }

  test("takes keys in PEM form, and any of several", async () => {
    const { client } = await signedImage(keys.ec.privateKey);
    const pem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
    await verifyCosign(client, image, [pem(keys.rsa.publicKey), pem(keys.ec.publicKey)]);
  });

  test("refuses an image without signature", async () => {
    const { client } = await signedImage();
    await rejects(verifyCosign(client, image, [keys.ec.publicKey]), /has no cosign signature/);
  });

  test("refuses a signature made with another key", async () => {
    const { client } = await signedImage(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
    await rejects(verifyCosign(client, image, [keys.ec.publicKey, keys.rsa.publicKey]), /none of 1 signatures/);
  });

  test("refuses a good signature for another image", async () => {
    const other = (payload: Uint8Array): Uint8Array =>
      Buffer.from(
        Buffer.from(payload)
          .toString()
          .replace(/sha256:\w{4}/, "sha256:0000"),
      );
    const { client } = await signedImage(keys.ec.privateKey, other);
    await rejects(verifyCosign(client, image, [keys.ec.publicKey]), /none of 1 signatures/);
  });

  test("refuses a payload that is no payload", async () => {
    const { client } = await signedImage(keys.ec.privateKey, () => Buffer.from("[]"));
    await rejects(verifyCosign(client, image, [keys.ec.publicKey]), /none of 1 signatures/);
  });
});
