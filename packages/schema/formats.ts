import ipaddr from "ipaddr.js";
import { isDuration } from "./duration.ts";

type Check = (text: string) => boolean;

/** The formats that Kubernetes validates in custom resources; any other format is ignored. */
const checks: Readonly<Record<string, Check>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/.test(text),
  byte: (text) => text !== "" && /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0,
  cidr: isCidr,
  creditcard: (text) => /^\d{12,19}$/.test(text.replaceAll(/[\s-]/g, "")) && passesLuhn(text),
  date: isDate,
  "date-time": isDateTime,
  datetime: isDateTime,
  duration: isDuration,
  email: isEmail,
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  hostname: isHostname,
  ipv4: isLooseIpv4,
  ipv6: (text) => text.includes(":") && !text.includes("%") && ipaddr.IPv6.isValid(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  "k8s-long-name": (text) =>
    text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
  "k8s-short-name": (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  mac: (text) =>
    /^([0-9a-fA-F]{2}([:-]))([0-9a-fA-F]{2}\2){4}([0-9a-fA-F]{2}\2?)$|^([0-9a-fA-F]{4}\.){2,3}[0-9a-fA-F]{4}$/.test(
      text,
    ),
  password: () => true,
  rgbcolor: isRgb,
  ssn: (text) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text),
  uri: isUri,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
};

/** True when Kubernetes checks this format in custom resources. */
export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(checks, format);
}

/** Whether a text has the format; formats that Kubernetes does not know are always satisfied. */
export function hasFormat(format: string, text: string): boolean {
  return !isKnownFormat(format) || checks[format]?.(text) === true;
}

/** RFC 3339 full-date. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number);
  return isDay(year ?? 0, month ?? 0, day ?? 0);
}

/** RFC 3339 date and time, as the validation of Kubernetes reads it. */
export function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.exec(text);
  if (match === null) return false;
  const [, date = "", hour, minute, second] = match;
  return isDate(date) && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59;
}

function isDay(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** Four decimal numbers without leading zeros. */
export function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** Formats take leading zeros for decimal, as Kubernetes always did. */
function isLooseIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (isLooseIpv4(address)) return Number(bits) <= 32;
  return address.includes(":") && !address.includes("%") && ipaddr.IPv6.isValid(address) && Number(bits) <= 128;
}

const hostChar = "[a-zA-Z0-9\\p{S}\\p{L}]";
const singleLabel = new RegExp(`^${hostChar}(-?${hostChar}{0,62})?$`, "u");
const dottedName = new RegExp(
  `^(${hostChar}([a-zA-Z0-9\\p{S}\\p{L}-]{0,61}${hostChar})?\\.)+[a-zA-Z\\p{L}]{2,63}$`,
  "u",
);

/** One label, or several that end in letters: what the validation of Kubernetes takes for a host name. */
function isHostname(text: string): boolean {
  return text.length <= 255 && (singleLabel.test(text) || dottedName.test(text));
}

/** A request URI: an absolute URL, or a path. */
function isUri(text: string): boolean {
  if (/[\s\p{Cc}]/u.test(text)) return false;
  return text.startsWith("/") || /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text);
}

/** An address, with or without a name before it: `a@b`, `A <a@b>`. */
function isEmail(text: string): boolean {
  const address = /^[^<>@]*<([^<>]*)>$/.exec(text)?.[1] ?? text;
  return /^[^\s@<>()[\],;:\\"]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(address);
}

function isRgb(text: string): boolean {
  const channels = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)?.slice(1) ?? [];
  return channels.length === 3 && channels.every((channel) => Number(channel) <= 255);
}

function digitsOf(text: string): readonly string[] {
  return text.replaceAll(/[\s-]/g, "").split("");
}

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{9}[\dX]$/.test(digits.join(""))) return false;
  const sum = digits.reduce((total, digit, index) => total + (10 - index) * (digit === "X" ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{13}$/.test(digits.join(""))) return false;
  return digits.reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

function passesLuhn(text: string): boolean {
  const doubled = (digit: number): number => (digit > 4 ? digit * 2 - 9 : digit * 2);
  const digits = digitsOf(text).map(Number).reverse();
  return digits.reduce((total, digit, index) => total + (index % 2 === 1 ? doubled(digit) : digit), 0) % 10 === 0;
}
