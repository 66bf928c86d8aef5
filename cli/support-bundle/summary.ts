import type { AnyObject } from "@kyma-operators/kube";
import { blockerOf, stateOf } from "../../apis/progress.ts";
import { failureOf, failureText, unavailability } from "../deploy/rollout.ts";
import { formatTable } from "../table.ts";
import { type Listing, timeOf } from "./collector.ts";
import { worstFirst } from "./severity.ts";

const mostBlockers = 20;

/** What a bundle says of itself, apart from the objects. */
export interface Facts {
  readonly programVersion: string;
  readonly clusterVersion: string;
  readonly namespaces: readonly string[];
  /** RFC 3339. */
  readonly takenAt: string;
  /** What is missing, and why. */
  readonly notes: readonly string[];
}

/** summary.txt: what is in the way, first of all; then what the bundle lacks. */
export function summaryText(facts: Facts, listings: readonly Listing[], events: readonly AnyObject[]): string {
  const blockers = blockersOf(listings, events);
  const more = blockers.length - mostBlockers;
  return [
    `kyma ${facts.programVersion}, cluster ${facts.clusterVersion}, taken at ${facts.takenAt}`,
    `namespaces: ${facts.namespaces.join(", ")}`,
    "",
    "In the way:",
    ...(blockers.length === 0
      ? ["- nothing: all is Ready"]
      : blockers.slice(0, mostBlockers).map((line) => `- ${line}`)),
    ...(more > 0 ? [`- and ${more} more`] : []),
    "",
    "Objects:",
    ...listings.map(({ resource, items }) => `- ${resource.kind}: ${items.length}${statesOf(items)}`),
    "",
    "Not in this bundle:",
    "- Secrets: never read",
    ...facts.notes.map((note) => `- ${note}`),
    "",
  ].join("\n");
}

/** What is not as it should be, causes before effects: Pods, then our objects in the order of the listings. */
export function blockersOf(listings: readonly Listing[], events: readonly AnyObject[]): readonly string[] {
  return listings.flatMap(({ resource, items }) => {
    switch (resource.kind) {
      case "Deployment":
        return items.flatMap((item) => unavailability(item) ?? []);
      case "Pod":
        return items.flatMap(failureOf).map(failureText);
      default:
        return worstFirst(items.filter(isUnhappy)).map((item) => blockerLine(item, events));
    }
  });
}

/** Kinds that never have a state can't be unhappy. */
function isUnhappy(item: AnyObject): boolean {
  const hasState = statefulKinds.has(item.kind);
  return hasState && stateOf(item) !== "Ready";
}

const statefulKinds: ReadonlySet<string> = new Set(["Runtime", "GardenerCluster", "Kyma", "Manifest", "Watcher"]);

function blockerLine(item: AnyObject, events: readonly AnyObject[]): string {
  const { kind, metadata } = item;
  const why = blockerOf(item, newestWarning(item, events));
  const name = `${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  return `${name} is ${stateOf(item)}${why === "" ? "" : `: ${why}`}`;
}

interface EventObject extends AnyObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
}

function newestWarning({ kind, metadata }: AnyObject, events: readonly AnyObject[]): string | undefined {
  const about = (events as readonly EventObject[]).findLast(
    ({ type, regarding }) =>
      type === "Warning" &&
      regarding?.kind === kind &&
      regarding.namespace === metadata.namespace &&
      regarding.name === metadata.name,
  );
  return about?.note;
}

function statesOf(items: readonly AnyObject[]): string {
  const counts = new Map<string, number>();
  for (const item of items.filter(({ kind }) => statefulKinds.has(kind))) {
    const state = stateOf(item);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const parts = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([state, count]) => `${count} ${state}`);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** events.txt, oldest first. */
export function eventTable(events: readonly AnyObject[]): string {
  const rows = (events as readonly EventObject[]).map((event) => {
    const { type = "", reason = "", note = "", regarding = {} } = event;
    const about = `${regarding.kind ?? ""} ${regarding.namespace ?? ""}/${regarding.name ?? ""}`;
    return [timeOf(event), type, reason, about, note.replace(/\s+/g, " ")];
  });
  return formatTable(["TIME", "TYPE", "REASON", "ABOUT", "NOTE"], rows);
}

/** conditions.txt: every condition of every object. */
export function conditionTable(listings: readonly Listing[]): string {
  const rows = listings.flatMap(({ items }) => items.flatMap(conditionRows));
  return formatTable(["OBJECT", "CONDITION", "STATUS", "REASON", "SINCE", "MESSAGE"], rows);
}

function conditionRows(item: AnyObject): readonly (readonly string[])[] {
  const { conditions = [] } = (item["status"] ?? {}) as {
    readonly conditions?: readonly Readonly<Record<string, string | undefined>>[];
  };
  const name = `${item.kind} ${item.metadata.namespace ?? ""}/${item.metadata.name ?? ""}`;
  return conditions.map(({ type = "", status = "", reason = "", lastTransitionTime = "", message = "" }) => [
    name,
    type,
    status,
    reason,
    lastTransitionTime,
    message.replace(/\s+/g, " "),
  ]);
}
