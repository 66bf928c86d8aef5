/** Field paths as Kubernetes writes them: `spec.ports[0].name`, `metadata.labels[a.b/c]`. */
export function childPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}

/** A key of a map, as opposed to a field of a struct. */
export function keyPath(parent: string, key: string): string {
  return `${parent}[${key}]`;
}

export function itemPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}
