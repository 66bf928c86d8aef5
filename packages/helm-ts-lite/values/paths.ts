import type { GoMap, GoValue } from "../go/values.ts";

/** The map at a path of names separated by dots; an empty path is the map itself. */
export function tableAt(values: GoMap, path: string): GoMap | undefined {
  let table: GoValue = values;
  for (const name of path === "" ? [] : path.split(".")) {
    if (!(table instanceof Map)) return undefined;
    table = table.get(name);
  }
  return table instanceof Map ? table : undefined;
}

/** The value at a path when it is there and no map. */
export function valueAt(values: GoMap, path: string): { readonly value: GoValue } | undefined {
  const dot = path.lastIndexOf(".");
  const table = dot < 0 ? values : tableAt(values, path.slice(0, dot));
  const name = path.slice(dot + 1);
  if (table === undefined || !table.has(name)) return undefined;
  const value = table.get(name);
  return value instanceof Map ? undefined : { value };
}
