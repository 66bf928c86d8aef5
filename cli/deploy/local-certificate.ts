import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { builtIn, optional } from "@kyma-operators/kube";
import * as x509 from "@peculiar/x509";
import { refTo } from "../cluster-kinds.ts";
import type { World } from "../poll.ts";
import { tlsSecret } from "./configuration.ts";
import type { TlsPair } from "./values.ts";
import { fieldManager } from "./write.ts";

const { secrets } = builtIn;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dayMs = 24 * 3600 * 1000;

/** Gives a local cluster a certificate of its own for its domain, once. No key is part of this program. */
export async function ensureLocalCertificate({ client, io }: World, domain: string): Promise<void> {
  const secret = tlsSecret({ crt: "", key: "" });
  if ((await optional(client.get(refTo(secrets, secret), { signal: io.signal }))) !== undefined) return;
  const pair = await makeCertificate(domain, io.clock.now());
  await client.apply(secrets, tlsSecret(pair), { fieldManager, signal: io.signal });
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
