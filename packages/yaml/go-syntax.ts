import { formatFloat } from "./numbers.ts";

/** Keys have become texts by now; those that look like numbers were numbers. */
const keySyntax = (key: string): string => {
  if (key.startsWith("\ud800")) return "interface {}(nil)";
  return /^-?[0-9.]+$/.test(key) ? key : JSON.stringify(key);
};

/** A value as Go's `%#v` shows it, for errors. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return formatFloat(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!(value instanceof Map)) return value === true ? "true" : "false";
  const entries = [...(value as Map<string, unknown>)].map(([key, item]) => `${keySyntax(key)}:${goSyntax(item)}`);
  return `map[interface {}]interface {}{${entries.join(", ")}}`;
}
