import type { Condition } from "../apis/operator/object.ts";
import type { Observed } from "../apis/progress.ts";
import type { ConditionHistory } from "./history.ts";
import { byRegarding, type ClusterEvent, type Sources } from "./sources.ts";
import type { Tone } from "./tones.ts";

/** Something that happened to a Kyma or to what belongs to it. */
export interface TimelineEntry {
  /** RFC 3339. */
  readonly time: string;
  /** What it happened to, for example `Manifest demo-greeter`. */
  readonly subject: string;
  readonly mark: Tone | "note";
  readonly title: string;
  readonly text: string;
  /** How often; 1 for what happened once. */
  readonly count: number;
}

export const longestTimeline = 100;

/** An object of ours whose life is told. */
export interface Subject extends Omit<Observed, "status"> {
  readonly status?: Omit<NonNullable<Observed["status"]>, "conditions"> & {
    readonly conditions?: readonly Condition[];
  };
}

/** Conditions, past conditions and events of some objects, the newest first. */
export function timelineOf(
  subjects: readonly Subject[],
  { events }: Sources,
  history: ConditionHistory,
): readonly TimelineEntry[] {
  const entries = subjects.flatMap((subject) => {
    const { kind, metadata, status } = subject;
    const name = metadata.name ?? "";
    const told = events?.store.byIndex(byRegarding, `${kind}/${name}`) ?? [];
    return [
      ...milestones(subject),
      ...conditionEntries(`${kind} ${name}`, history.of(kind, name), status?.conditions ?? []),
      ...told.map((event) => eventEntry(`${kind} ${name}`, event)),
    ];
  });
  // Conditions are dated to the second; what stands later in the same one happened later.
  return entries.reverse().sort(newestFirst).slice(0, longestTimeline);
}

function newestFirst(a: TimelineEntry, b: TimelineEntry): number {
  return (Date.parse(b.time) || 0) - (Date.parse(a.time) || 0);
}

function milestones({ kind, metadata }: Subject): readonly TimelineEntry[] {
  const subject = `${kind} ${metadata.name ?? ""}`;
  const milestone = (time: string | undefined, title: string, mark: TimelineEntry["mark"]): readonly TimelineEntry[] =>
    time === undefined ? [] : [{ time, subject, mark, title, text: "", count: 1 }];
  return [
    ...milestone(metadata.creationTimestamp, "Created", "note"),
    ...milestone(metadata.deletionTimestamp, "Deletion requested", "leaving"),
  ];
}

function conditionEntries(
  subject: string,
  past: readonly Condition[],
  present: readonly Condition[],
): readonly TimelineEntry[] {
  return [...past, ...present].map(({ type, status, reason, message, lastTransitionTime }) => ({
    time: lastTransitionTime,
    subject,
    mark: status === "True" ? "ready" : "busy",
    title: `${type} is ${status}`,
    text: message === "" ? reason : message,
    count: 1,
  }));
}

function eventEntry(subject: string, event: ClusterEvent): TimelineEntry {
  const { type, reason = "", message = "", series } = event;
  const time = series?.lastObservedTime ?? event.eventTime ?? event.lastTimestamp ?? "";
  return {
    time,
    subject,
    mark: type === "Warning" ? "warning" : "note",
    title: reason,
    text: message,
    count: series?.count ?? 1,
  };
}
