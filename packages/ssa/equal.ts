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
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return equalSparse(a, b);
  for (const name of names) if (!equalValues(a[name], b[name])) return false;
  return true;
}

/** A field that is undefined is absent. */
function equalSparse(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const present = (fields: object): number => Object.values(fields).filter((value) => value !== undefined).length;
  return present(a) === present(b) && Object.keys(a).every((name) => equalValues(a[name], b[name]));
}
