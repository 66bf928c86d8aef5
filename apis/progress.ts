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

/** State of an object for people: `Deleting` as soon as that is asked for, `Pending` before anybody looked at it. */
export function stateOf({ metadata, status }: Observed): string {
  if (metadata.deletionTimestamp !== undefined) return "Deleting";
  return status?.state || "Pending";
}

/**
 * Why an object is not Ready, as one line; empty when it is, or when it doesn't say.
 *
 * @param warning - note of the newest warning event about it, which tells more than the status does.
 */
export function blockerOf(object: Observed, warning?: string): string {
  if (stateOf(object) === "Ready") return "";
  const reasons = [
    warning,
    failingModule(object),
    ownWords(object),
    openCondition(object),
    object.status?.lastOperation?.operation,
  ];
  return oneLine(reasons.find((text) => text !== undefined && text !== "") ?? "");
}

function failingModule({ status }: Observed): string | undefined {
  const module = status?.modules?.find((candidate) => candidate.state !== "Ready" && (candidate.message ?? "") !== "");
  return module === undefined ? undefined : `${module.name}: ${module.message}`;
}

/** In Error the last operation is the error. A Manifest's always says more than its conditions, whose texts are fixed. */
function ownWords({ kind, status }: Observed): string | undefined {
  return status?.state === "Error" || kind === "Manifest" ? status?.lastOperation?.operation : undefined;
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
