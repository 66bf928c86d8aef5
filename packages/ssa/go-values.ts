/** JSON values as Go prints them, for messages that have to read like Kubernetes' own. */

/** `%v`: `text`, `1`, `[a b]`, `map[a:1 b:2]`. */
export function formatGo(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatGo).join(" ")}]`;
  if (value === null || value === undefined) return "<nil>";
  if (typeof value !== "object") return typeof value === "string" ? value : JSON.stringify(value);
  return `map[${sortedEntries(value)
    .map(([name, field]) => `${name}:${formatGo(field)}`)
    .join(" ")}]`;
}

/** `%#v` of the wrapper that server-side apply reads values through. */
export function formatGoSyntax(value: unknown): string {
  return `&value.valueUnstructured{Value:${literalOf(value)}}`;
}

function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(elementOf).join(", ")}}`;
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value !== "object") return JSON.stringify(value);
  const fields = sortedEntries(value).map(([name, field]) => `${JSON.stringify(name)}:${elementOf(field)}`);
  return `map[string]interface {}{${fields.join(", ")}}`;
}

function elementOf(value: unknown): string {
  return value === null ? "interface {}(nil)" : literalOf(value);
}

/** `%T` of a decoded JSON value. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return value === null ? "<nil>" : "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "float64";
}

function sortedEntries(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
