import { X509Certificate } from "node:crypto";

const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
/** A bundle holds a handful of certificates; more is not ours. */
const longestBundle = 1 << 20;

/** The certificates of a PEM text; undefined when one of them is none, or there is none at all. */
export function parseBundle(pem: string): readonly X509Certificate[] | undefined {
  if (pem.length > longestBundle) return undefined;
  const blocks = pem.match(block) ?? [];
  if (blocks.length === 0) return undefined;
  try {
    return blocks.map((text) => new X509Certificate(text));
  } catch {
    return undefined;
  }
}

/** Certificates as one PEM text. */
export function formatBundle(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join("");
}

/** When a certificate begins and ends to be valid, milliseconds since the epoch. */
export function validityOf(certificate: X509Certificate): {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
} {
  return { notBeforeMs: certificate.validFromDate.getTime(), notAfterMs: certificate.validToDate.getTime() };
}

/** Common name of the subject; empty when there is none. */
export function commonNameOf({ subject }: X509Certificate): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? "";
}
