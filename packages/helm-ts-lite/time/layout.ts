/** A piece of a Go time layout: text as it stands, or an element such as `2006`. */
export interface Chunk {
  readonly element: boolean;
  readonly text: string;
}

// Longer elements first; a short name followed by a small letter is no element, and `_2006` is an underscore and a year.
const elements =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|15|1|2006|__2|_2(?!006)|2|3|4|5|PM|pm|[-Z]07:00:00|[-Z]070000|[-Z]07:00|[-Z]0700|[-Z]07|[.,](?:0+|9+)(?![0-9])/g;

/** Splits a layout into its elements and the text between them. */
export function splitLayout(layout: string): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  for (const match of layout.matchAll(elements)) {
    if (match.index > from) chunks.push({ element: false, text: layout.slice(from, match.index) });
    chunks.push({ element: true, text: match[0] });
    from = match.index + match[0].length;
  }
  if (from < layout.length) chunks.push({ element: false, text: layout.slice(from) });
  return chunks;
}

export const months = "January February March April May June July August September October November December".split(
  " ",
);
export const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
