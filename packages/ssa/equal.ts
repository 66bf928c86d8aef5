/** Deep equality of JSON values; the order of fields does not matter, the order of items does. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalFields(a as Record<string, unknown>, b as Record<string, unknown>);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!equalValues(a[index], b[index])) return false;
  return true;
}

function equalFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  let count = 0;
  for (const name in a) {
    if (a[name] === undefined) continue;
    count++;
    if (!equalValues(a[name], b[name])) return false;
  }
  for (const name in b) if (b[name] !== undefined) count--;
  return count === 0;
}
