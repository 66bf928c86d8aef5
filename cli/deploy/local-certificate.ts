import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { type AnyObject, builtIn, optional } from "@kyma-operators/kube";
import * as x509 from "@peculiar/x509";
import { refTo } from "../cluster-kinds.ts";
import type { World } from "../poll.ts";
import type { Say } from "../progress/steps.ts";
import { tlsSecret } from "./configuration.ts";
import type { TlsPair } from "./values.ts";
import { applyOne, type WriteFlags } from "./write.ts";

const { secrets } = builtIn;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dayMs = 24 * 3600 * 1000;
const renewBeforeMs = 30 * dayMs;

/**
 * Gives a local cluster a certificate of its own for its domain, and a new one when that ends within a month. No key is
 * part of this program.
 */
export async function ensureLocalCertificate(world: World, domain: string, flags: WriteFlags, say: Say): Promise<void> {
  const { client, io } = world;
  const key = refTo(secrets, tlsSecret({ crt: "", key: "" }));
  const found = await optional(client.get(key, { signal: io.signal }));
  const nowMs = io.clock.now();
  if (found !== undefined && !isEndingOfOurs(found, domain, nowMs)) return;
  await applyOne(world, tlsSecret(await makeCertificate(domain, nowMs)), flags, say);
}

/** Ours are the ones that name nobody but the domain. What is no certificate is somebody else's. */
function isEndingOfOurs(secret: AnyObject, domain: string, nowMs: number): boolean {
  const data = (secret["data"] ?? {}) as Readonly<Record<string, string>>;
  try {
    const { subject, issuer, notAfter } = new x509.X509Certificate(
      Buffer.from(data["tls.crt"] ?? "", "base64").toString(),
    );
    return subject === `CN=${domain}` && issuer === subject && notAfter.getTime() < nowMs + renewBeforeMs;
  } catch {
    return false;
  }
}

/** A self-signed certificate for the domain and everything below it, valid for a year. */
export async function makeCertificate(domain: string, nowMs: number): Promise<TlsPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${domain}`,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + 365 * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: domain },
        { type: "dns", value: `*.${domain}` },
      ]),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  });
  const der = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { crt: certificate.toString("pem"), key: x509.PemConverter.encode(der, "PRIVATE KEY") };
}
