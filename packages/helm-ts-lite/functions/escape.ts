import { toBytes, toValidText } from "../go/bytes.ts";
import { isPrintable } from "../go/quote.ts";

const html: Readonly<Record<string, string>> = {
  "\0": "\ufffd",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[\0&<>"']/g, (char) => html[char] ?? char);
}

const js: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", '"': '\\"' };

function escapeJsChar(char: string): string {
  const known = js[char];
  if (known !== undefined) return known;
  const code = char.codePointAt(0) ?? 0;
  // A byte that is not UTF-8 counts as U+FFFD, which is printable.
  if (code >= 0x80 && isPrintable(toValidText(char))) return char;
  const hex = code.toString(16).toUpperCase();
  return `\\u${hex.padStart(4, "0")}`;
}

export function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=]|[^ -~]/gu, escapeJsChar);
}

/** Escapes all but what `keep` takes, byte by byte. */
function percent(text: string, keep: RegExp): string {
  if (/^[\w.~-]*$/.test(text)) return text;
  return Array.from(toBytes(text), (byte) => {
    const char = String.fromCharCode(byte);
    return byte < 0x80 && keep.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

/** Go's `url.QueryEscape`. */
export function escapeQuery(text: string): string {
  return percent(text, /[\w.~ -]/).replaceAll(" ", "+");
}

/** Go's escaping of a path: sub-delimiters and slashes stay. */
export function escapePath(text: string): string {
  return percent(text, /[\w.~$&+,/:;=@-]/);
}

/** Go's escaping of a fragment. */
export function escapeFragment(text: string): string {
  return percent(text, /[\w.~$&+,/:;=?@!()*-]/);
}
