import type { Cursor } from "./scalar-scanner.ts";

/** Longer tags are cut here and then refused for what follows. */
const maxTagLength = 1_024;

/** Reads a tag: `!`, `!suffix`, `!!suffix`, `!handle!suffix` or `!<uri>`, with `%xx` decoded. */
export function scanTag(cursor: Cursor): string {
  const { line } = cursor;
  const rest = cursor.text.slice(cursor.offset, cursor.offset + maxTagLength);
  const head = /^!(?:<|[\w-]*!)?/.exec(rest)?.[0] ?? "!";
  const uri = /^[\w;/?:@&=+$,.!~*'()[\]%-]*/.exec(rest.slice(head.length))?.[0] ?? "";
  if (uri === "" && head !== "!") throw cursor.problem("did not find expected tag URI", line);
  const suffix = decodeUri(uri, cursor);
  cursor.offset += head.length + uri.length;
  if (head !== "!<") return head + suffix;
  if (cursor.code() !== 0x3e) throw cursor.problem("did not find the expected '>'", line);
  cursor.offset++;
  return `!<${suffix}>`;
}

function decodeUri(uri: string, cursor: Cursor): string {
  if (!uri.includes("%")) return uri;
  if (/%(?![0-9a-fA-F]{2})/.test(uri)) throw cursor.problem("did not find URI escaped octet", cursor.line);
  try {
    return decodeURIComponent(uri);
  } catch {
    throw cursor.problem("found an incorrect leading UTF-8 octet", cursor.line);
  }
}
