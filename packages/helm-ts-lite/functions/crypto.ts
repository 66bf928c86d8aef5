import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";
import { genSaltSync, hashSync } from "bcryptjs";
import ipaddr from "ipaddr.js";
import { type CertificateRequest, type Issuer, makeCertificate, readIssuer } from "../crypto/certificate.ts";
import { keyPem, newCertificateKey, newKeyPem, readKey } from "../crypto/keys.ts";
import { derivePassword } from "../crypto/password.ts";
import { byteLength, fromBytes, toBytes } from "../go/bytes.ts";
import { type GoObject, type GoValue, listItems, type TypedList } from "../go/values.ts";
import { GoError } from "../template/errors.ts";
import type { State } from "../template/state.ts";
import { base64Decode } from "./base-n.ts";
import { type FuncTable, func } from "./define.ts";

/** A certificate and its key, as PEM. */
class Certificate implements GoObject {
  readonly goType = "sprig.certificate";
  readonly goKind = "struct";
  readonly cert: string;
  readonly key: string;

  constructor(cert: string, key: string) {
    this.cert = cert;
    this.key = key;
  }

  field(name: string): { readonly value: GoValue } | undefined {
    if (name === "Cert") return { value: this.cert };
    return name === "Key" ? { value: this.key } : undefined;
  }

  goText(): string {
    return `{${this.cert} ${this.key}}`;
  }

  toData(): GoValue {
    return new Map([
      ["Cert", this.cert],
      ["Key", this.key],
    ]);
  }
}

/** What a key of 2,048 bits takes, in ordinary steps. */
const keySteps = 400_000;
/** Password hashes are slow by design. */
const hashSteps = 2 * keySteps;
/** Large primes take half a second to find, and up to seconds with bad luck. */
const primeSteps = 5 * keySteps;

function allowed(state: State, steps = keySteps): void {
  if (!state.runtime.functions.crypto)
    throw new GoError("making keys, certificates and password hashes is switched off");
  state.runtime.functions.work(steps);
}

/** A `[]interface {}`, which may be nil. */
type Items = GoValue[] | TypedList;

function texts(list: Items, what: string): string[] {
  return (listItems(list) ?? []).map((item) => {
    if (typeof item !== "string") throw new GoError(`error parsing ${what}: ${typeof item}`);
    return item;
  });
}

function addresses(list: Items): string[] {
  const ips = texts(list, "ip");
  const bad = ips.find((ip) => !ipaddr.IPv4.isValidFourPartDecimal(ip) && !ipaddr.IPv6.isValid(ip));
  if (bad !== undefined) throw new GoError(`error parsing ip: ${bad}`);
  return ips;
}

function givenKey(pem: string): KeyObject {
  const key = readKey(pem);
  if (key === undefined) throw new GoError("parsing private key: no PEM data in input");
  return key;
}

interface Names {
  readonly commonName: string;
  readonly ips: Items;
  readonly dnsNames: Items;
  readonly days: number;
}

function requestOf(names: Names, isAuthority: boolean, state: State): CertificateRequest {
  allowed(state);
  const ips = addresses(names.ips);
  const dnsNames = texts(names.dnsNames, "alternate dns name");
  return {
    commonName: names.commonName,
    days: names.days,
    ips,
    dnsNames,
    isAuthority,
    now: state.runtime.functions.now(),
  };
}

function selfSigned(request: CertificateRequest, key: KeyObject): Certificate {
  return new Certificate(makeCertificate(request, key, { key }), keyPem(key));
}

function issuerOf(authority: GoObject): Issuer {
  if (!(authority instanceof Certificate)) throw new GoError("unable to decode certificate");
  const issuer = readIssuer(authority.cert);
  if (issuer === undefined) throw new GoError("unable to decode certificate");
  return { key: givenKey(authority.key), ...issuer };
}

function authority(commonName: string, days: number, state: State, key: KeyObject): Certificate {
  return selfSigned(requestOf({ commonName, ips: [], dnsNames: [], days }, true, state), key);
}

function customCert(cert: string, key: string): Certificate {
  const [certBytes, keyBytes] = [base64Decode(cert), base64Decode(key)];
  if (typeof certBytes === "string") throw new GoError("unable to decode base64 certificate");
  if (typeof keyBytes === "string") throw new GoError("unable to decode base64 private key");
  const [certText, keyText] = [fromBytes(certBytes), fromBytes(keyBytes)];
  if (!certText.includes("-----BEGIN")) throw new GoError("unable to decode certificate");
  if (readIssuer(certText) === undefined) throw new GoError("error parsing certificate: malformed certificate");
  if (readKey(keyText) === undefined) throw new GoError("error parsing private key: no PEM data in input");
  return new Certificate(certText, keyText);
}

function hashed(text: string, state: State): string {
  allowed(state, hashSteps);
  if (byteLength(text) > 72) throw new GoError("bcrypt: password length exceeds 72 bytes");
  return hashSync(text, genSaltSync(10)).replace(/^\$2b\$/, "$2a$");
}

function orText(body: () => string, prefix: string): string {
  try {
    return body();
  } catch (error) {
    if (error instanceof GoError) return prefix + error.message;
    throw error;
  }
}

function htpasswd(user: string, password: string, state: State): string {
  if (user.includes(":")) return `invalid username: ${user}`;
  return orText(() => `${user}:${hashed(password, state)}`, "failed to create htpasswd: ");
}

function aesKey(password: string): Buffer {
  const key = Buffer.alloc(32);
  toBytes(password).copy(key);
  return key;
}

function encrypt(password: string, text: string): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", aesKey(password), iv);
  return Buffer.concat([iv, cipher.update(toBytes(text)), cipher.final()]).toString("base64");
}

function decrypt(password: string, text: string): string {
  const data = base64Decode(text);
  if (typeof data === "string") throw new GoError(data);
  if (data.length < 32 || data.length % 16 !== 0) throw new GoError("runtime error: slice bounds out of range");
  try {
    const decipher = createDecipheriv("aes-256-cbc", aesKey(password), data.subarray(0, 16));
    return fromBytes(Buffer.concat([decipher.update(data.subarray(16)), decipher.final()]));
  } catch (error) {
    throw new GoError("runtime error: slice bounds out of range", { cause: error });
  }
}

type CertArgs = [string, Items, Items, number];
const namesOf = ([commonName, ips, dnsNames, days]: CertArgs): Names => ({ commonName, ips, dnsNames, days });

export const cryptoFunctions: FuncTable = {
  genPrivateKey: func(["string"], (type, state) => {
    allowed(state, ["ecdsa", "ed25519"].includes(type) ? keySteps : primeSteps);
    return newKeyPem(type) ?? `Unknown type ${type}`;
  }),
  genCA: func(["string", "int"], (name, days, state) => authority(name, days, state, newCertificateKey())),
  genCAWithKey: func(["string", "int", "string"], (name, days, key, state) =>
    authority(name, days, state, givenKey(key)),
  ),
  genSelfSignedCert: func(["string", "list", "list", "int"], (...args) => {
    const [commonName, ips, dnsNames, days, state] = args;
    return selfSigned(requestOf(namesOf([commonName, ips, dnsNames, days]), false, state), newCertificateKey());
  }),
  genSelfSignedCertWithKey: func(["string", "list", "list", "int", "string"], (...args) => {
    const [commonName, ips, dnsNames, days, key, state] = args;
    return selfSigned(requestOf(namesOf([commonName, ips, dnsNames, days]), false, state), givenKey(key));
  }),
  genSignedCert: func(["string", "list", "list", "int", "certificate"], (...args) => {
    const [commonName, ips, dnsNames, days, ca, state] = args;
    const key = newCertificateKey();
    const request = requestOf(namesOf([commonName, ips, dnsNames, days]), false, state);
    return new Certificate(makeCertificate(request, key, issuerOf(ca)), keyPem(key));
  }),
  genSignedCertWithKey: func(["string", "list", "list", "int", "certificate", "string"], (...args) => {
    const [commonName, ips, dnsNames, days, ca, pem, state] = args;
    const key = givenKey(pem);
    const request = requestOf(namesOf([commonName, ips, dnsNames, days]), false, state);
    return new Certificate(makeCertificate(request, key, issuerOf(ca)), keyPem(key));
  }),
  buildCustomCert: func(["string", "string"], customCert),
  bcrypt: func(["string"], (text, state) =>
    orText(() => hashed(text, state), "failed to encrypt string with bcrypt: "),
  ),
  htpasswd: func(["string", "string"], htpasswd),
  derivePassword: func(["uint32", "string", "string", "string", "string"], (...args) => {
    const [counter, type, password, user, site, state] = args;
    allowed(state);
    return derivePassword({ counter, type, password, user, site });
  }),
  encryptAES: func(["string", "string"], encrypt),
  decryptAES: func(["string", "string"], decrypt),
};
