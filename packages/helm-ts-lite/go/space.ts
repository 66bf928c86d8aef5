/** What Go's `unicode.IsSpace` takes for white space. */
const goSpace = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

const isSpace = (char: string): boolean => goSpace.test(char);

/**
 * The text without what stands at its end. A regular expression would try at every such character of a large text, which
 * takes squared time.
 */
export function trimEnd(text: string, isTrimmed: (char: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isTrimmed(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Go's `strings.TrimSpace`. */
export function trimSpace(text: string): string {
  const trimmed = trimEnd(text, isSpace);
  let start = 0;
  while (start < trimmed.length && isSpace(trimmed.charAt(start))) start++;
  return trimmed.slice(start);
}
