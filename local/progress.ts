import { blockerOf, type Observed, stateOf } from "../apis/progress.ts";

/** A warning event as far as progress shows it. */
export interface Warning {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly note: string;
  /** RFC 3339. */
  readonly time: string;
}

/** `kyma local status`: one Runtime or Kyma, or what belongs to it; the keys are a contract of `-o json`. */
export interface Row {
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly ready: boolean;
  /** Seconds since creation. */
  readonly ageSeconds: number;
  /** Why it is not ready, as far as the object says. */
  readonly blocker: string;
}

/** One row per object, in the order given. */
export function progressRows(
  objects: readonly Observed[],
  warnings: readonly Warning[],
  nowMs: number,
): readonly Row[] {
  return objects.map((object) => {
    const state = stateOf(object);
    const created = Date.parse(object.metadata.creationTimestamp ?? "");
    return {
      kind: object.kind,
      name: object.metadata.name ?? "",
      state,
      ready: state === "Ready",
      ageSeconds: Number.isNaN(created) ? 0 : Math.max(0, Math.floor((nowMs - created) / 1000)),
      blocker: blockerOf(object, newestWarning(object, warnings)),
    };
  });
}

/** The first row that is not ready, as one text; undefined when all are. */
export function firstBlocker(rows: readonly Row[]): string | undefined {
  const row = rows.find((candidate) => !candidate.ready);
  if (row === undefined) return undefined;
  const why = row.blocker === "" ? "" : `: ${row.blocker}`;
  return `${row.kind} ${row.name} is ${row.state}${why}`;
}

function newestWarning({ kind, metadata }: Observed, warnings: readonly Warning[]): string | undefined {
  return warnings
    .filter(
      (warning) => warning.kind === kind && warning.name === metadata.name && warning.namespace === metadata.namespace,
    )
    .reduce<Warning | undefined>(
      (newest, warning) => (newest === undefined || warning.time > newest.time ? warning : newest),
      undefined,
    )?.note;
}
