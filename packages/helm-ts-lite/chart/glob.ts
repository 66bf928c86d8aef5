/** One element of a shell pattern. */
type Element = { readonly any: true } | { readonly any: false; readonly test: (char: string) => boolean };

/** A pattern of Go's `filepath.Match`. */
export interface Pattern {
  /** What every match begins with. */
  readonly prefix: string;
  readonly elements: readonly Element[];
}

const one = (test: (char: string) => boolean): Element => ({ any: false, test });

interface Class {
  readonly element: Element;
  readonly end: number;
}

/** Reads `[a-z]` or `[^a]` from the character behind the bracket on. */
function parseClass(chars: readonly string[], start: number): Class | undefined {
  let at = start;
  const negated = chars[at] === "^";
  if (negated) at++;
  const ranges: (readonly [string, string])[] = [];
  while (chars[at] !== "]" || ranges.length === 0) {
    const low = classChar(chars, at);
    if (low === undefined) return undefined;
    const high = chars[low.next] === "-" ? classChar(chars, low.next + 1) : low;
    if (high === undefined) return undefined;
    ranges.push([low.char, high.char]);
    at = high.next;
  }
  const inside = (char: string): boolean => ranges.some(([low, high]) => low <= char && char <= high);
  return { element: one((char) => char !== "/" && inside(char) !== negated), end: at + 1 };
}

function classChar(chars: readonly string[], at: number): { char: string; next: number } | undefined {
  const char = chars[at];
  if (char === undefined || char === "-" || char === "]") return undefined;
  if (char !== "\\") return { char, next: at + 1 };
  const escaped = chars[at + 1];
  return escaped === undefined ? undefined : { char: escaped, next: at + 2 };
}

/** Parses a shell pattern: `*` and `?` do not cross slashes. Undefined when it is malformed. */
export function parseGlob(text: string): Pattern | undefined {
  const elements = parseElements(Array.from(text));
  return elements === undefined ? undefined : { prefix: /^[^*?[\\]*/.exec(text)?.[0] ?? "", elements };
}

function parseElements(chars: readonly string[]): Element[] | undefined {
  const elements: Element[] = [];
  for (let at = 0; at < chars.length; ) {
    const char = chars[at] ?? "";
    if (char === "[") {
      const parsed = parseClass(chars, at + 1);
      if (parsed === undefined) return undefined;
      elements.push(parsed.element);
      at = parsed.end;
      continue;
    }
    const literal = char === "\\" ? chars[at + 1] : char;
    if (literal === undefined) return undefined;
    elements.push(char === "\\" ? one((other) => other === literal) : plainElement(char));
    at += char === "\\" ? 2 : 1;
  }
  return elements;
}

function plainElement(char: string): Element {
  if (char === "*") return { any: true };
  return char === "?" ? one((other) => other !== "/") : one((other) => other === char);
}

/** Whether the whole text matches. Remembers only the last star, so it takes no more than squared time. */
export function matchGlob({ prefix, elements }: Pattern, text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const chars = Array.from(text);
  let [at, element, star, starAt] = [0, 0, -1, 0];
  while (at < chars.length) {
    const current = elements[element];
    const char = chars[at] ?? "";
    if (current?.any === true) {
      star = element++;
      starAt = at;
    } else if (current?.test(char) === true) {
      element++;
      at++;
    } else if (star >= 0 && chars[starAt] !== "/") {
      element = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  return elements.slice(element).every((rest) => rest.any);
}
