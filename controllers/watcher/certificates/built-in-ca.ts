import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { CertificateSubject } from "./certificate.ts";
import type { TlsData } from "./gateway-secret.ts";
import { dateOf } from "./system-date.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

const usages = [x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth];

/** From when until when, milliseconds since the epoch. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A new CA that the listener also shows as its own certificate, as upstream's does. */
export async function issueRoot(hosts: readonly string[], period: Period): Promise<TlsData> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: "CN=klm-watcher-selfsigned-ca",
    ...bounds(period),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      // The usages of a CA bound those of what it issues.
      new x509.ExtendedKeyUsageExtension(usages),
      new x509.SubjectAlternativeNameExtension(hosts.map(alternativeName)),
    ],
  });
  const crt = certificate.toString("pem");
  return { crt, key: await exported(keys.privateKey), ca: crt };
}

/** A certificate for an agent: it serves the webhook on its cluster, and speaks for its runtime here. */
export async function issueAgentCertificate(
  root: TlsData,
  subject: CertificateSubject,
  period: Period,
): Promise<TlsData> {
  const issuer = new x509.X509Certificate(root.crt);
  const signingKey = await webcrypto.subtle.importKey(
    "pkcs8",
    x509.PemConverter.decodeFirst(root.key),
    algorithm,
    false,
    ["sign"],
  );
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [subject.commonName] }],
    issuer: issuer.subject,
    ...bounds(period),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension(usages),
      new x509.SubjectAlternativeNameExtension(subject.dnsNames.map(alternativeName)),
    ],
  });
  return { crt: certificate.toString("pem"), key: await exported(keys.privateKey), ca: root.crt };
}

function bounds({ fromMs, toMs }: Period): { notBefore: Date; notAfter: Date } {
  return { notBefore: dateOf(fromMs), notAfter: dateOf(toMs) };
}

function alternativeName(value: string): { type: "ip" | "dns"; value: string } {
  return { type: /^[\d.]+$|:/.test(value) ? "ip" : "dns", value };
}

async function exported(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

/** Positive, and random enough that no two certificates of an issuer share it. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f || 1;
  return Buffer.from(bytes).toString("hex");
}
