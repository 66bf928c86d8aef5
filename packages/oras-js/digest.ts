import { createHash, hash } from "node:crypto";
import { oci } from "./errors.ts";

/** Hash algorithms of the OCI image specification. */
export type DigestAlgorithm = "sha256" | "sha512";

/** A digest taken apart. */
export interface ParsedDigest {
  readonly algorithm: DigestAlgorithm;
  /** Lower-case hex without prefix. */
  readonly hex: string;
}

const shape = /^(?:(sha256):([a-f0-9]{64})|(sha512):([a-f0-9]{128}))$/;

/** True for `sha256:<64 hex>` and `sha512:<128 hex>`, lower case only. */
export function isDigest(text: string): boolean {
  return shape.test(text);
}

/** Takes a digest apart. Throws OCI_DIGEST_INVALID. */
export function parseDigest(text: string): ParsedDigest {
  const match = shape.exec(text);
  if (match === null) throw oci.DIGEST_INVALID({ text: text.slice(0, 200) });
  return match[1] === undefined
    ? { algorithm: "sha512", hex: match[4] ?? "" }
    : { algorithm: "sha256", hex: match[2] ?? "" };
}

/** The digest of some bytes, for example `sha256:e3b0…`. */
export function digestOf(bytes: Uint8Array | string, algorithm: DigestAlgorithm = "sha256"): string {
  return `${algorithm}:${hash(algorithm, bytes, "hex")}`;
}

/** Hashes bytes as they come. */
export interface Digester {
  update(bytes: Uint8Array): void;
  /** The digest of all bytes so far; call it once, at the end. */
  digest(): string;
}

/** Starts hashing with the algorithm of an expected digest. */
export function createDigester(algorithm: DigestAlgorithm = "sha256"): Digester {
  const state = createHash(algorithm);
  return {
    update: (bytes) => void state.update(bytes),
    digest: () => `${algorithm}:${state.digest("hex")}`,
  };
}
