import { createPrivateKey, X509Certificate } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { refuse } from "./kubeconfig-fields.ts";

const mostCertificates = 64;
const certificate = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** Addresses where machines keep their own credentials; no API server lives there. */
const linkLocal = new BlockList();
linkLocal.addSubnet("169.254.0.0", 16, "ipv4");
linkLocal.addSubnet("fe80::", 10, "ipv6");
linkLocal.addAddress("fd00:ec2::254", "ipv6");

/** Gives the server's URL without a slash at the end. */
export function checkServer(server: string, path: string): string {
  const url = URL.parse(server);
  if (url === null) throw refuse(path, "is no URL");
  if (url.protocol !== "https:") throw refuse(path, "must begin with https://");
  if (url.username !== "" || url.password !== "") throw refuse(path, "must not hold a user or password");
  if (url.search !== "" || url.hash !== "") throw refuse(path, "must have neither a query nor a fragment");
  if (/%2e|%2f|%5c|\/\//i.test(url.pathname) || !server.startsWith("https://")) {
    throw refuse(path, "must be a plain URL");
  }
  checkHost(url.hostname.replace(/^\[|\]$/g, ""), path);
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** IPv6 addresses that lead to an IPv4 one: mapped, compatible, of a NAT64, of 6to4. */
const ipv4In = /^(?:(?:::ffff:|::|64:ff9b::)(?=[^:]+:[^:]+$)|2002:)([0-9a-f]{1,4}):([0-9a-f]{1,4})(?=$|:)/;

function checkHost(host: string, path: string): void {
  const family = isIP(host);
  if (family === 0) return checkServerName(host, path);
  const embedded = ipv4In.exec(host);
  const blocked =
    linkLocal.check(host, family === 4 ? "ipv4" : "ipv6") ||
    (embedded !== null && linkLocal.check(dotted(embedded), "ipv4"));
  if (blocked) throw refuse(path, "must not be a link-local address");
}

function dotted([, high = "0", low = "0"]: RegExpExecArray): string {
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}

/** A DNS name. */
export function checkServerName(name: string, path: string): void {
  const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;
  const labels = name.replace(/\.$/, "").split(".");
  if (name.length > 253 || isIP(name) !== 0 || !labels.every((part) => label.test(part))) {
    throw refuse(path, "must hold a DNS name");
  }
}

/** PEM with certificates only. */
export function checkAuthorities(pem: string, path: string): void {
  const blocks = pem.match(certificate) ?? [];
  if (blocks.length === 0) throw refuse(path, "holds no PEM certificate");
  if (blocks.length > mostCertificates) throw refuse(path, `holds more than ${mostCertificates} certificates`);
  if (pem.includes("PRIVATE KEY")) throw refuse(path, "holds a private key");
  for (const block of blocks) parseCertificate(block, path);
}

/** The key must belong to the first certificate. */
export function checkKeyPair(certificates: string, key: string, path: string): void {
  const [leaf] = certificates.match(certificate) ?? [];
  if (leaf === undefined) throw refuse(`${path}.client-certificate-data`, "holds no PEM certificate");
  const parsed = parseCertificate(leaf, `${path}.client-certificate-data`);
  if (!parsed.checkPrivateKey(parseKey(key, `${path}.client-key-data`))) {
    throw refuse(`${path}.client-key-data`, "does not belong to the client certificate");
  }
}

function parseCertificate(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw refuse(path, "holds a broken certificate");
  }
}

function parseKey(pem: string, path: string): ReturnType<typeof createPrivateKey> {
  if (/ENCRYPTED/.test(pem)) throw refuse(path, "is encrypted; give the key without a passphrase");
  try {
    return createPrivateKey({ key: pem, format: "pem" });
  } catch {
    throw refuse(path, "holds no PEM private key");
  }
}

/** What may stand in an Authorization header. */
export function checkToken(token: string, path: string): void {
  if (!/^[A-Za-z0-9\-._~+/=:|]+$/.test(token)) throw refuse(path, "holds characters that no bearer token has");
}
