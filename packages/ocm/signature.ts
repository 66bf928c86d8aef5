import { constants, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { ocm, signatureRefused } from "./errors.ts";
import { componentId } from "./layers.ts";
import {
  digestOfDescriptor,
  type HashAlgorithm,
  hashAlgorithms,
  type Normalisation,
  normalise,
  parseNormalisation,
} from "./normalise.ts";
import type { ComponentDescriptor, DigestSpec, Signature } from "./types.ts";

/** How a descriptor is signed. The value of a signature is lower-case hex; ECDSA values are DER. */
export const signatureAlgorithms = ["RSASSA-PKCS1-V1_5", "RSASSA-PSS", "ECDSA"] as const;

export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

const mediaTypes: Readonly<Record<SignatureAlgorithm, string>> = {
  "RSASSA-PKCS1-V1_5": "application/vnd.ocm.signature.rsa",
  "RSASSA-PSS": "application/vnd.ocm.signature.rsa.pss",
  ECDSA: "application/vnd.ocm.signature.ecdsa",
};

const shortestRsaBits = 2_048;

function checkStrength(key: KeyObject, name: string): KeyObject {
  const type = key.asymmetricKeyType ?? "secret";
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (type !== "rsa" && type !== "ec")
    throw ocm.KEY_INVALID({ key: name, reason: `expected an RSA or EC key, found ${type}` });
  if (type === "rsa" && bits < shortestRsaBits) {
    throw ocm.KEY_INVALID({ key: name, reason: `RSA key of ${bits} bits, at least ${shortestRsaBits} are needed` });
  }
  return key;
}

/**
 * Reads a public key or certificate in PEM form.
 *
 * @param name - names the file or Secret in error texts; the key itself is never shown.
 * @throws OCM_KEY_INVALID
 */
export function parsePublicKey(pem: string | Uint8Array, name: string): KeyObject {
  const text = Buffer.from(pem).toString("utf8");
  // createPublicKey would derive one from a private key, which has no place where public keys are kept
  if (text.includes("PRIVATE KEY"))
    throw ocm.KEY_INVALID({ key: name, reason: "expected a public key, found a private one" });
  try {
    return checkStrength(createPublicKey(text), name);
  } catch (error) {
    throw asKeyError(error, { name, expected: "a public key in PEM form" });
  }
}

/** Reads a private key in PEM form, without passphrase. Throws OCM_KEY_INVALID. */
export function parsePrivateKey(pem: string | Uint8Array, name: string): KeyObject {
  try {
    return checkStrength(createPrivateKey(Buffer.from(pem).toString("utf8")), name);
  } catch (error) {
    throw asKeyError(error, { name, expected: "a private key in PEM form without passphrase" });
  }
}

/** OpenSSL's own text could quote the input; it is not passed on. */
function asKeyError(error: unknown, { name, expected }: { name: string; expected: string }): unknown {
  return (error as { code?: unknown } | null)?.code === "OCM_KEY_INVALID"
    ? error
    : ocm.KEY_INVALID({ key: name, reason: `expected ${expected}` });
}

function parseHash(text: string, refuse: (reason: string) => never): HashAlgorithm {
  return Object.hasOwn(hashAlgorithms, text)
    ? (text as HashAlgorithm)
    : refuse(`hash algorithm ${JSON.stringify(text)} is not supported`);
}

function keyInput(key: KeyObject, algorithm: string): Parameters<typeof verify>[2] {
  if (algorithm === "ECDSA") return { key, dsaEncoding: "der" };
  if (algorithm === "RSASSA-PSS")
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return { key, padding: constants.RSA_PKCS1_PADDING };
}

function fits(key: KeyObject, algorithm: string): boolean {
  return key.asymmetricKeyType === (algorithm === "ECDSA" ? "ec" : "rsa");
}

function isKnown(algorithm: string): algorithm is SignatureAlgorithm {
  return (signatureAlgorithms as readonly string[]).includes(algorithm);
}

/** The value as bytes; hex only, so that nothing is silently cut off. */
function parseHex(text: string, refuse: (reason: string) => never): Uint8Array {
  const valid = text.length <= 4_096 && text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text);
  return valid ? Buffer.from(text, "hex") : refuse("its value is not hex");
}

/**
 * Verifies one signature of a descriptor: the digest it signs is computed anew, never taken from the
 * document.
 *
 * It says nothing about the contents of resources; see `verifyCoverage` and `verifyContents`.
 *
 * @throws OCM_SIGNATURE_REFUSED, OCM_NORMALISATION_UNKNOWN
 */
export function verifySignature(descriptor: ComponentDescriptor, name: string, key: KeyObject): Signature {
  const component = componentId(descriptor);
  const refuse = (reason: string): never => {
    throw signatureRefused(component, name, reason);
  };
  const found = descriptor.signatures.filter((signature) => signature.name === name);
  const [signature] = found;
  if (signature === undefined) return refuse(`the component does not carry it${listNames(descriptor)}`);
  if (found.length > 1) return refuse("the component carries it more than once");
  verifyOne(descriptor, signature, { key, refuse });
  return signature;
}

function listNames({ signatures }: ComponentDescriptor): string {
  return signatures.length === 0 ? ", it is unsigned" : `; found ${signatures.map(({ name }) => name).join(", ")}`;
}

function verifyOne(
  descriptor: ComponentDescriptor,
  { digest, signature }: Signature,
  { key, refuse }: { key: KeyObject; refuse: (reason: string) => never },
): void {
  const hash = parseHash(digest.hashAlgorithm, refuse);
  const normalisation = parseNormalisation(digest.normalisationAlgorithm);
  const got = digestOfDescriptor(descriptor, normalisation, hash);
  if (got !== digest.value)
    refuse(`it signs digest ${digest.value}, the component has ${got}: the component was changed`);
  const { algorithm, mediaType } = signature;
  if (!isKnown(algorithm)) return refuse(`algorithm ${JSON.stringify(algorithm)} is not supported`);
  if (!mediaType.startsWith("application/vnd.ocm.signature."))
    refuse(`media type ${JSON.stringify(mediaType)} is not supported`);
  if (!fits(key, algorithm)) refuse(`it is made with ${algorithm}, the key is of another type`);
  const value = parseHex(signature.value, refuse);
  const text = Buffer.from(normalise(descriptor, normalisation));
  if (!verify(hashAlgorithms[hash], text, keyInput(key, algorithm), value)) refuse("it was not made with this key");
}

/** How {@link signDescriptor} signs. */
export interface SignOptions {
  readonly name: string;
  readonly key: KeyObject;
  /** Default: `RSASSA-PKCS1-V1_5` for RSA keys, `ECDSA` for EC keys. */
  readonly algorithm?: SignatureAlgorithm;
  /** Default `jsonNormalisation/v3`. */
  readonly normalisation?: Normalisation;
  /** Default `SHA-256`. */
  readonly hash?: HashAlgorithm;
  readonly issuer?: string;
  /** Replaces a signature of the same name instead of refusing. */
  readonly replace?: boolean;
}

/** A new descriptor with one more signature. Throws OCM_SIGNATURE_REFUSED when the name is taken. */
export function signDescriptor(descriptor: ComponentDescriptor, options: SignOptions): ComponentDescriptor {
  const { name, key, normalisation = "jsonNormalisation/v3", hash = "SHA-256", issuer } = options;
  const refuse = (why: string): Error => signatureRefused(componentId(descriptor), name, why);
  const others = descriptor.signatures.filter((signature) => signature.name !== name);
  if (others.length < descriptor.signatures.length && options.replace !== true)
    throw refuse("a signature of this name exists");
  const algorithm = options.algorithm ?? (key.asymmetricKeyType === "ec" ? "ECDSA" : "RSASSA-PKCS1-V1_5");
  if (!fits(key, algorithm)) throw refuse(`the key cannot sign with ${algorithm}`);
  const digest: DigestSpec = {
    hashAlgorithm: hash,
    normalisationAlgorithm: normalisation,
    value: digestOfDescriptor(descriptor, normalisation, hash),
  };
  const text = Buffer.from(normalise(descriptor, normalisation));
  const value = sign(hashAlgorithms[hash], text, signInput(key, algorithm)).toString("hex");
  const signature = { algorithm, mediaType: mediaTypes[algorithm], value, ...(issuer === undefined ? {} : { issuer }) };
  return { ...descriptor, signatures: [...others, { name, digest, signature }] };
}

function signInput(key: KeyObject, algorithm: SignatureAlgorithm): Parameters<typeof sign>[2] {
  if (algorithm === "ECDSA") return { key, dsaEncoding: "der" };
  if (algorithm === "RSASSA-PSS")
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return { key, padding: constants.RSA_PKCS1_PADDING };
}
