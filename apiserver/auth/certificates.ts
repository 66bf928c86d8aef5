import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { systemClock } from "../system-clock.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The certificate authority of one server. */
export interface Authority extends KeyPair {
  /** Certificate of the server itself. */
  issueServer(host: string): Promise<KeyPair>;
  /**
   * Client certificate: the common name is the user, the organizations are the groups.
   *
   * @param expiresAt - milliseconds since the epoch; default as long as the server's own.
   */
  issueClient(user: string, groups: readonly string[], expiresAt?: number): Promise<KeyPair>;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const year = 365 * 24 * 3600 * 1000;
const serviceNames = [
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

const serial = (): string => `00${randomBytes(16).toString("hex")}`;
const newKeys = (): Promise<CryptoKeyPair> => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
type CryptoKeyPair = webcrypto.CryptoKeyPair;

/** TLS compares with the machine's clock, so certificates are dated by it, whatever clock the server runs on. */
function validity(expiresAt?: number): { notBefore: Date; notAfter: Date } {
  const now = systemClock.now();
  const until = expiresAt ?? now + 10 * year;
  return { notBefore: systemClock.date(Math.min(now, until) - 3_600_000), notAfter: systemClock.date(until) };
}

/** Makes a new authority, which lasts ten years. */
export async function createAuthority(expiresAt?: number): Promise<Authority> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: "CN=kyma-apiserver-ca",
    ...validity(expiresAt),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return authorityOf({ certificate: certificate.toString("pem"), key: await exportKey(keys.privateKey) });
}

const renewBefore = 30 * 24 * 3600 * 1000;

/** False when clients would soon refuse what the authority has signed. */
export function isLasting({ certificate }: KeyPair): boolean {
  return new x509.X509Certificate(certificate).notAfter.getTime() > systemClock.now() + renewBefore;
}

/** An authority whose keys were kept, for example in a data directory. */
export function authorityOf(pair: KeyPair): Authority {
  const issue = async (subject: x509.JsonName, extensions: x509.Extension[], expiresAt?: number): Promise<KeyPair> => {
    const issuer = new x509.X509Certificate(pair.certificate);
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject,
      issuer: issuer.subject,
      ...validity(expiresAt),
      signingAlgorithm: algorithm,
      signingKey: await importKey(pair.key),
      publicKey: keys.publicKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.AuthorityKeyIdentifierExtension.create(issuer),
        ...extensions,
      ],
    });
    return { certificate: certificate.toString("pem"), key: await exportKey(keys.privateKey) };
  };
  return {
    ...pair,
    issueServer: (host) =>
      issue(
        [{ CN: ["kyma-apiserver"] }],
        [
          new x509.ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.1"]),
          new x509.SubjectAlternativeNameExtension([
            ...["localhost", ...serviceNames].map((value) => ({ type: "dns" as const, value })),
            ...[...new Set(["127.0.0.1", "::1", host])]
              .filter(isAddress)
              .map((value) => ({ type: "ip" as const, value })),
          ]),
        ],
      ),
    issueClient: (user, groups, expiresAt) =>
      issue(
        [...groups.map((group) => ({ O: [group] })), { CN: [user] }],
        [new x509.ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.2"])],
        expiresAt,
      ),
  };
}

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pem), algorithm, false, ["sign"]);
}
