/** The parts of our objects that say how far they are; every kind of ours has them. */
export interface Observed {
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly state?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly modules?: readonly { readonly name: string; readonly state: string; readonly message?: string }[];
    readonly lastOperation?: { readonly operation?: string };
  };
}

/** A warning event as far as progress shows it. */
export interface Warning {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly note: string;
  /** RFC 3339. */
  readonly time: string;
}

/** One line of the progress view. */
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
    const ready = state === "Ready";
    const created = Date.parse(object.metadata.creationTimestamp ?? "");
    return {
      kind: object.kind,
      name: object.metadata.name ?? "",
      state,
      ready,
      ageSeconds: Number.isNaN(created) ? 0 : Math.max(0, Math.floor((nowMs - created) / 1000)),
      blocker: ready ? "" : oneLine(blockerOf(object, warnings)),
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

function stateOf({ metadata, status }: Observed): string {
  if (metadata.deletionTimestamp !== undefined) return "Deleting";
  return status?.state || "Pending";
}

function blockerOf(object: Observed, warnings: readonly Warning[]): string {
  return (
    [
      newestWarning(object, warnings),
      failingModule(object),
      failure(object),
      openCondition(object),
      object.status?.lastOperation?.operation,
    ].find((text) => text !== undefined && text !== "") ?? ""
  );
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

function failingModule({ status }: Observed): string | undefined {
  const module = status?.modules?.find((candidate) => candidate.state !== "Ready" && (candidate.message ?? "") !== "");
  return module === undefined ? undefined : `${module.name}: ${module.message}`;
}

/** In Error the last operation is the error; conditions only say what it left undone. */
function failure({ status }: Observed): string | undefined {
  return status?.state === "Error" ? status.lastOperation?.operation : undefined;
}

function openCondition({ status }: Observed): string | undefined {
  const condition = status?.conditions?.find(
    (candidate) => candidate.status !== "True" && (candidate.message ?? "") !== "",
  );
  return condition === undefined ? undefined : `${condition.type}: ${condition.message}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
