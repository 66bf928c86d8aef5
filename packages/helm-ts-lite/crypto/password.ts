import { createHmac, scryptSync } from "node:crypto";
import { toBytes } from "../go/bytes.ts";

/** Master Password, version 3: passwords that follow from a name, a site and a master password. */
const seed = "com.lyndir.masterpassword";

const long =
  "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv " +
  "CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv " +
  "CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno";

const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ["maximum", ["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]],
  ["long", long.split(" ")],
  ["medium", ["CvcnoCvc", "CvcCvcno"]],
  ["short", ["Cvcn"]],
  ["basic", ["aaanaaan", "aannaaan", "aaannaaa"]],
  ["pin", ["nnnn"]],
]);

const vowels = "AEIOU";
const consonants = "BCDFGHJKLMNPQRSTVWXYZ";
const letters = vowels + vowels.toLowerCase() + consonants + consonants.toLowerCase();

const classes: Readonly<Record<string, string>> = {
  V: vowels,
  C: consonants,
  v: vowels.toLowerCase(),
  c: consonants.toLowerCase(),
  A: vowels + consonants,
  a: letters,
  n: "0123456789",
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: `${letters}0123456789!@#$%^&*()`,
};

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** What a password is derived from. */
export interface PasswordSource {
  readonly counter: number;
  readonly type: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
}

/** Derives the password; an unknown type gives a text that says so, as in sprig. */
export function derivePassword({ counter, type, password, user, site }: PasswordSource): string {
  const choices = templates.get(type);
  if (choices === undefined) return `cannot find password template ${type}`;
  const [userBytes, siteBytes] = [toBytes(user), toBytes(site)];
  const salt = Buffer.concat([Buffer.from(seed), uint32(userBytes.length), userBytes]);
  const key = scryptSync(toBytes(password), salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 128 * 1024 * 1024 });
  const message = Buffer.concat([Buffer.from(seed), uint32(siteBytes.length), siteBytes, uint32(counter)]);
  const bytes = createHmac("sha256", key).update(message).digest();
  const template = choices[(bytes[0] ?? 0) % choices.length] ?? "";
  return Array.from(template, (kind, index) => {
    const chars = classes[kind] ?? "";
    return chars.charAt((bytes[index + 1] ?? 0) % chars.length);
  }).join("");
}
