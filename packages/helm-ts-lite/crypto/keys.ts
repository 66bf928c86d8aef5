import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { integer, pem, readAll, readElement, sequence } from "./der.ts";

/** RSA keys of certificates have this many bits, those of `genPrivateKey` twice as many. */
const certificateBits = 2_048;

export function newCertificateKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: certificateBits }).privateKey;
}

/** The PEM form that Go writes for each sort of key. */
export function keyPem(key: KeyObject): string {
  if (key.asymmetricKeyType === "rsa") return String(key.export({ type: "pkcs1", format: "pem" }));
  if (key.asymmetricKeyType === "ec") return String(key.export({ type: "sec1", format: "pem" }));
  return String(key.export({ type: "pkcs8", format: "pem" }));
}

/** A DSA key in the old form, which Node.js does not write itself. */
function dsaPem(): string {
  const { privateKey } = generateKeyPairSync("dsa", { modulusLength: 2_048, divisorLength: 256 });
  const [, algorithm, secret] = readAll(readElement(privateKey.export({ type: "pkcs8", format: "der" })).content);
  const spki = readAll(readElement(createPublicKey(privateKey).export({ type: "spki", format: "der" })).content);
  const parameters = readAll(algorithm?.content ?? Buffer.alloc(0))[1]?.content ?? Buffer.alloc(0);
  const domain = readAll(parameters).map((element) => integer(element.content));
  const open = readElement((spki[1]?.content ?? Buffer.alloc(0)).subarray(1)).content;
  const hidden = readElement(secret?.content ?? Buffer.alloc(0)).content;
  return pem("DSA PRIVATE KEY", sequence(integer(0n), ...domain, integer(open), integer(hidden)));
}

/** `genPrivateKey`: a new key of a type as PEM; undefined for an unknown type. */
export function newKeyPem(type: string): string | undefined {
  switch (type) {
    case "":
    case "rsa":
      return keyPem(generateKeyPairSync("rsa", { modulusLength: 4_096 }).privateKey);
    case "dsa":
      return dsaPem();
    case "ecdsa":
      return keyPem(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
    case "ed25519":
      return keyPem(generateKeyPairSync("ed25519").privateKey);
    default:
      return undefined;
  }
}

/** A private key from PEM, or undefined when it is none. */
export function readKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

export function publicKeyDer(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: "spki", format: "der" });
}
