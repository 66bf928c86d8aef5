/** Spelling of path elements: as keys of `FieldsV1`, and as Kubernetes prints them in messages. */

export function fieldElement(name: string): string {
  return `f:${name}`;
}

export function canonicalValue(value: unknown): string {
  return `v:${JSON.stringify(value)}`;
}

/** Key fields sorted by name. */
export function canonicalKeys(keys: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(keys).sort();
  return `k:{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(keys[name])}`).join(",")}}`;
}

/** A path as messages show it: `.spec.ports[port=80,protocol="TCP"].name`. */
export function formatPath(path: readonly string[]): string {
  return path.map(formatElement).join("");
}

function formatElement(element: string): string {
  const text = element.slice(2);
  if (element.startsWith("f:")) return `.${text}`;
  if (element.startsWith("i:")) return `[${text}]`;
  if (element.startsWith("v:")) return `[=${text}]`;
  const keys = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const parts = Object.entries(keys).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${parts.join(",")}]`;
}
