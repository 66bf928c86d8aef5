import { hasCode } from "@kyma-operators/errors";
import { type AnyObject, type Client, optional } from "@kyma-operators/kube";
import { nameOfObject, refTo, resourceOf } from "./cluster-kinds.ts";
import { fieldManager } from "./write.ts";

/** Fields that change with every write and say nothing about the object. */
const noise: ReadonlySet<string> = new Set([
  "managedFields",
  "resourceVersion",
  "generation",
  "uid",
  "creationTimestamp",
]);

/**
 * What applying the objects would change, one line per object and field; the API server itself is asked, so defaults
 * and other owners are seen. Values of Secrets are not shown.
 */
export async function differences(
  client: Client,
  objects: readonly AnyObject[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const object of objects) lines.push(...(await differenceOf(client, object, signal)));
  return lines;
}

async function differenceOf(client: Client, object: AnyObject, signal: AbortSignal): Promise<readonly string[]> {
  const name = nameOfObject(object);
  try {
    const resource = await resourceOf(client, object);
    const live = await optional(client.get(refTo(resource, object), { signal }));
    if (live === undefined) return [`+ ${name}`];
    const after = await client.apply(resource, object, { fieldManager, force: true, dryRun: true, signal });
    return fieldChanges(live, after, "").map(
      (line) => `~ ${name}: ${object.kind === "Secret" ? pathOnly(line) : line}`,
    );
  } catch (error) {
    if (hasCode(error, "KUBE_NOT_FOUND") || hasCode(error, "KUBE_NO_MATCH")) return [`+ ${name}`];
    throw error;
  }
}

function pathOnly(line: string): string {
  return line.slice(0, line.indexOf(":"));
}

/** Every leaf that differs, as `path: from -> to`. */
export function fieldChanges(from: unknown, to: unknown, path: string): readonly string[] {
  if (isRecord(from) && isRecord(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((key) => !noise.has(key)).sort();
    return keys.flatMap((key) => fieldChanges(from[key], to[key], path === "" ? key : `${path}.${key}`));
  }
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
    return from.flatMap((entry, index) => fieldChanges(entry, to[index], `${path}[${index}]`));
  }
  const [before, after] = [show(from), show(to)];
  return before === after ? [] : [`${path}: ${before} -> ${after}`];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
