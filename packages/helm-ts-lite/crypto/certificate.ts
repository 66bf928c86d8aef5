import { createHash, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import ipaddr from "ipaddr.js";
import { GoTime } from "../time/time.ts";
import { utc } from "../time/zone.ts";
import {
  bits,
  boolean,
  integer,
  nothing,
  octets,
  oid,
  pem,
  readAll,
  readElement,
  sequence,
  set,
  tagged,
  time,
  utf8,
} from "./der.ts";
import { publicKeyDer } from "./keys.ts";

/** What a certificate says. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly ips: readonly string[];
  readonly dnsNames: readonly string[];
  readonly days: number;
  readonly isAuthority: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Who signs: a key, and the name and key identifier of its certificate. */
export interface Issuer {
  readonly key: KeyObject;
  /** The subject of the issuer's certificate in DER; undefined for self-signed certificates. */
  readonly name?: Buffer;
  readonly keyId?: Buffer;
}

const algorithms: Readonly<Record<string, { readonly id: Buffer; readonly hash: string | null }>> = {
  rsa: { id: sequence(oid("1.2.840.113549.1.1.11"), nothing), hash: "sha256" },
  ec: { id: sequence(oid("1.2.840.10045.4.3.2")), hash: "sha256" },
  ed25519: { id: sequence(oid("1.3.101.112")), hash: null },
};

const ipBytes = (ip: string): Buffer => Buffer.from(ipaddr.parse(ip).toByteArray());

const extension = (id: string, critical: boolean, content: Buffer): Buffer =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(content));

function extensions(request: CertificateRequest, keyId: Buffer, issuerKeyId: Buffer | undefined): Buffer {
  // digitalSignature and keyEncipherment; authorities also sign certificates.
  const usage = request.isAuthority ? bits(Buffer.from([0xa4]), 2) : bits(Buffer.from([0xa0]), 5);
  const list = [
    extension("2.5.29.15", true, usage),
    extension("2.5.29.37", false, sequence(oid("1.3.6.1.5.5.7.3.1"), oid("1.3.6.1.5.5.7.3.2"))),
    extension("2.5.29.19", true, request.isAuthority ? sequence(boolean(true)) : sequence()),
  ];
  if (request.isAuthority) list.push(extension("2.5.29.14", false, octets(keyId)));
  if (issuerKeyId !== undefined) list.push(extension("2.5.29.35", false, sequence(tagged(0x80, issuerKeyId))));
  const names = [
    ...request.dnsNames.map((name) => tagged(0x82, Buffer.from(name))),
    ...request.ips.map((ip) => tagged(0x87, ipBytes(ip))),
  ];
  if (names.length > 0) list.push(extension("2.5.29.17", false, sequence(...names)));
  return tagged(0xa3, sequence(...list));
}

function timeOf(milliseconds: number): Buffer {
  return time(new GoTime(BigInt(Math.floor(milliseconds / 1_000)) * 1_000_000_000n, utc).parts());
}

/** Makes and signs a certificate for a key; the result is PEM. */
export function makeCertificate(request: CertificateRequest, key: KeyObject, issuer: Issuer): string {
  const algorithm = algorithms[issuer.key.asymmetricKeyType ?? ""];
  if (algorithm === undefined) throw new TypeError(`cannot sign with a key of type ${issuer.key.asymmetricKeyType}`);
  const subject = sequence(set(sequence(oid("2.5.4.3"), utf8(request.commonName))));
  const open = publicKeyDer(key);
  const keyId = createHash("sha1").update(open).digest();
  const serial = randomBytes(16);
  serial[0] = (serial[0] ?? 0) & 0x7f;
  const body = sequence(
    tagged(0xa0, integer(2n)),
    integer(BigInt(`0x${serial.toString("hex")}`)),
    algorithm.id,
    issuer.name ?? subject,
    sequence(timeOf(request.now), timeOf(request.now + request.days * 86_400_000)),
    subject,
    open,
    extensions(request, keyId, issuer.keyId),
  );
  return pem("CERTIFICATE", sequence(body, algorithm.id, bits(sign(algorithm.hash, body, issuer.key))));
}

/** Name and key identifier of a certificate, for signing with it; undefined when the text is none. */
export function readIssuer(text: string): { readonly name: Buffer; readonly keyId?: Buffer } | undefined {
  try {
    const { raw } = new X509Certificate(text);
    const fields = readAll(readAll(readElement(raw).content)[0]?.content ?? Buffer.alloc(0));
    const subject = sequence(fields[5]?.content ?? Buffer.alloc(0));
    const keyId = subjectKeyId(fields.find((field) => field.tag === 0xa3)?.content);
    return keyId === undefined ? { name: subject } : { name: subject, keyId };
  } catch {
    return undefined;
  }
}

function subjectKeyId(content: Buffer | undefined): Buffer | undefined {
  if (content === undefined) return undefined;
  for (const { content: each } of readAll(readElement(content).content)) {
    const parts = readAll(each);
    if (parts[0]?.content.toString("hex") === "551d0e")
      return readElement(parts.at(-1)?.content ?? Buffer.alloc(0)).content;
  }
  return undefined;
}
