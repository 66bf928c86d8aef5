import { type AnyObject, type Client, optional } from "@kyma-operators/kube";
import { nameOfObject, refTo, resourceOf, unlessUnknown } from "../cluster-kinds.ts";
import { fieldManager } from "./write.ts";

/** Fields that change with every write and say nothing about the object. */
const noise: ReadonlySet<string> = new Set([
  "managedFields",
  "resourceVersion",
  "generation",
  "uid",
  "creationTimestamp",
]);

/** What applying an object would do. */
export interface Trial {
  readonly object: AnyObject;
  /** `untried`: its kind or namespace is made by the same deployment, so the API server can't try it yet. */
  readonly outcome: "created" | "configured" | "unchanged" | "untried";
  /** Every field that would change, as `path: from -> to`. */
  readonly changes: readonly string[];
}

/**
 * Lets the API server try every object without keeping it, so that defaults, validation and other owners are seen.
 * Throws what the server answers to an object that it refuses.
 */
export async function tryAll(
  client: Client,
  objects: readonly AnyObject[],
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for (const object of objects) {
    const trial = await unlessUnknown(tryOne(client, object, { force, signal }));
    trials.push(trial ?? { object, outcome: "untried", changes: [] });
  }
  return trials;
}

async function tryOne(
  client: Client,
  object: AnyObject,
  { force, signal }: { readonly force: boolean; readonly signal: AbortSignal },
): Promise<Trial> {
  const resource = await resourceOf(client, object);
  const live = await optional(client.get(refTo(resource, object), { signal }));
  const after = await client.apply(resource, object, { fieldManager, force, dryRun: true, signal });
  if (live === undefined) return { object, outcome: "created", changes: [] };
  const changes = fieldChanges(live, after, "").map((line) => (object.kind === "Secret" ? pathOnly(line) : line));
  return { object, outcome: changes.length === 0 ? "unchanged" : "configured", changes };
}

/** One line per object and field that would change. Values of Secrets are not shown. */
export function differenceLines(trials: readonly Trial[]): readonly string[] {
  return trials.flatMap(({ object, outcome, changes }) => {
    const name = nameOfObject(object);
    if (outcome === "unchanged") return [];
    return outcome === "configured" ? changes.map((line) => `~ ${name}: ${line}`) : [`+ ${name}`];
  });
}

/** One line per object, as kubectl's dry run on the server prints it. */
export function trialLine({ object, outcome }: Trial): string {
  const shown = outcome === "untried" ? "not tried: its kind or namespace is not there yet" : outcome;
  return `${nameOfObject(object)} ${shown} (server dry run)`;
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
