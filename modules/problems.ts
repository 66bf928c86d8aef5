/**
 * Why a module cannot be brought to its wanted version. The kind decides the state and whether the former entry, and
 * with it the installed module, stays.
 */
export type ProblemKind =
  /** An upgrade waits for its maintenance window. */
  | "waiting"
  /** Nobody can tell whether the window is open. */
  | "window-unknown"
  | "update-not-allowed"
  | "no-release-meta"
  | "no-templates"
  /** The Kyma may not have the module: an installed one is removed. */
  | "not-allowed"
  /** Every Kyma has the module anyway; another controller looks after it. */
  | "mandatory"
  | "other";

export interface ModuleProblem {
  readonly kind: ProblemKind;
  /** For `status.modules[].message`. */
  readonly message: string;
  /** Set only where the lookup came far enough to know the component. */
  readonly component?: string;
  /** The lookup never came to a channel. */
  readonly beforeChannel?: true;
}

/** First words of the messages; people and tests look for them. */
export const problemTexts = {
  waiting: "waiting for next maintenance window to update module version",
  "window-unknown": "failed to determine if maintenance window is active",
  "update-not-allowed": "module template update not allowed",
  "no-release-meta": "no ModuleReleaseMeta found",
  "no-templates": "no templates were found",
  "not-allowed": "module template not allowed",
} as const;

/** A problem whose message is the text of its kind, followed by the detail. */
export function problemOf(kind: keyof typeof problemTexts, detail = ""): ModuleProblem {
  return { kind, message: detail === "" ? problemTexts[kind] : `${problemTexts[kind]}: ${detail}` };
}

/** A problem of the general kind. */
export function otherProblem(message: string): ModuleProblem {
  return { kind: "other", message };
}
