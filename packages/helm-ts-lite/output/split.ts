import { trimSpace } from "../go/space.ts";

const space = /[\t\n\f\r ]/;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && space.test(text.charAt(at))) at++;
  return at;
}

/** Where the white space that leads up to a line break begins. */
function spaceStart(text: string, lineBreak: number, from: number): number {
  let at = lineBreak;
  while (at > from && space.test(text.charAt(at - 1))) at--;
  return at;
}

/** The next separator at or after `from`: what it takes away. Only the start of the text or a line feed leads one in. */
function nextSeparator(text: string, from: number): { start: number; end: number } | undefined {
  if (from === 0 && text.startsWith("---")) return { start: 0, end: skipSpace(text, 3) };
  const found = text.indexOf("\n---", from);
  return found < 0 ? undefined : { start: spaceStart(text, found, from), end: skipSpace(text, found + 4) };
}

/**
 * Splits a rendered file into its documents, as helm up to 4.1 does: a separator also swallows the white space
 * behind it, so that of two in a row the second is text of the next document. Stops behind the first beyond `max`.
 */
export function splitDocuments(rendered: string, max = Number.POSITIVE_INFINITY): string[] {
  const text = trimSpace(rendered);
  const documents: string[] = [];
  let from = 0;
  const add = (end: number): void => {
    const document = trimSpace(text.slice(from, end));
    if (document !== "") documents.push(document);
  };
  while (documents.length <= max) {
    const separator = nextSeparator(text, from);
    if (separator === undefined) break;
    add(separator.start);
    from = separator.end;
  }
  add(text.length);
  return documents;
}
