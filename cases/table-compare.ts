/** How a row of a table file is compared; the README beside the files has the rules. */
export interface CompareRules {
  /** Whether the list at a path may come in another order. */
  readonly isFreeOrder: (path: string) => boolean;
}

const freeText = "<free text>";

/** Rules from the sentences of `compare.free`: `order of lists`, or `order of` one field. */
export function compareRules(free: readonly string[] = []): CompareRules {
  const fields = free.filter((text) => text.startsWith("order of ")).map((text) => text.slice("order of ".length));
  return { isFreeOrder: (path) => fields.includes("lists") || fields.some((field) => path.endsWith(`/${field}`)) };
}

/** The first difference as text, or undefined. `null`, absent, `{}` and `[]` are one and the same. */
export function difference(expected: unknown, found: unknown, rules: CompareRules, path = ""): string | undefined {
  if (isNothing(expected) && isNothing(found)) return undefined;
  if (Array.isArray(expected) && Array.isArray(found)) return listDifference(expected, found, rules, path);
  if (isObject(expected) && isObject(found)) return objectDifference(expected, found, rules, path);
  return isSameValue(expected, found)
    ? undefined
    : `${path || "/"}: expected ${short(expected)}, found ${short(found)}`;
}

function isSameValue(expected: unknown, found: unknown): boolean {
  return Object.is(expected, found) || (expected === freeText && typeof found === "string" && found !== "");
}

function listDifference(
  expected: readonly unknown[],
  found: readonly unknown[],
  rules: CompareRules,
  path: string,
): string | undefined {
  if (expected.length !== found.length) {
    return `${path || "/"}: expected ${expected.length} entries, found ${found.length}: ${short(found)}`;
  }
  const [left, right] = rules.isFreeOrder(path) ? [sorted(expected), sorted(found)] : [expected, found];
  for (const [index, item] of left.entries()) {
    const text = difference(item, right[index], rules, `${path}/${index}`);
    if (text !== undefined) return text;
  }
  return undefined;
}

function objectDifference(
  expected: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
  rules: CompareRules,
  path: string,
): string | undefined {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const text = difference(expected[key], found[key], rules, `${path}/${key}`);
    if (text !== undefined) return text;
  }
  return undefined;
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** Objects of a cluster are matched by what names them, anything else by its text. */
function sortKey(value: unknown): string {
  const metadata = isObject(value) && isObject(value["metadata"]) ? value["metadata"] : undefined;
  if (metadata === undefined) return JSON.stringify(value);
  return [(value as Record<string, unknown>)["kind"], metadata["namespace"], metadata["name"]].join("/");
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return (
    typeof value === "object" &&
    Object.values(value).every((item) => isNothing(item)) &&
    Object.keys(value).length === 0
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
