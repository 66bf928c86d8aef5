/** Codes that Gardener puts into `status.lastErrors`. */
export const errorCodes = [
  "ERR_INFRA_UNAUTHENTICATED",
  "ERR_INFRA_UNAUTHORIZED",
  "ERR_INFRA_QUOTA_EXCEEDED",
  "ERR_INFRA_RATE_LIMITS_EXCEEDED",
  "ERR_INFRA_DEPENDENCIES",
  "ERR_RETRYABLE_INFRA_DEPENDENCIES",
  "ERR_INFRA_RESOURCES_DEPLETED",
  "ERR_CLEANUP_CLUSTER_RESOURCES",
  "ERR_CONFIGURATION_PROBLEM",
  "ERR_RETRYABLE_CONFIGURATION_PROBLEM",
  "ERR_PROBLEMATIC_WEBHOOK",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Wrong or missing credentials: nothing gets better until a person acts. */
const fatal = new Set<string>(["ERR_INFRA_UNAUTHENTICATED", "ERR_INFRA_UNAUTHORIZED"]);

/** Codes with which Gardener itself gives up: state Failed, no further attempt until someone asks. */
export const nonRetryableByGardener: ReadonlySet<string> = new Set([
  ...fatal,
  "ERR_INFRA_DEPENDENCIES",
  "ERR_INFRA_QUOTA_EXCEEDED",
  "ERR_INFRA_RATE_LIMITS_EXCEEDED",
  "ERR_CONFIGURATION_PROBLEM",
  "ERR_PROBLEMATIC_WEBHOOK",
]);

/** Codes with which Gardener accepts a forced deletion. */
export const forceDeletionCodes: ReadonlySet<string> = new Set([
  "ERR_INFRA_UNAUTHENTICATED",
  "ERR_INFRA_UNAUTHORIZED",
  "ERR_INFRA_DEPENDENCIES",
  "ERR_CLEANUP_CLUSTER_RESOURCES",
  "ERR_CONFIGURATION_PROBLEM",
]);

interface HasCodes {
  readonly codes?: readonly string[];
}

/** All codes in order, each once. */
export function codesOf(errors: readonly HasCodes[] = []): readonly string[] {
  return [...new Set(errors.flatMap((error) => error.codes ?? []))];
}

/**
 * Whether asking Gardener again can help after a failed operation.
 *
 * No errors at all, or bad credentials among them: no. Everything else, unknown codes included: yes.
 */
export function isRetryable(errors: readonly HasCodes[] = []): boolean {
  return errors.length > 0 && !codesOf(errors).some((code) => fatal.has(code));
}

/** The descriptions numbered, in the form operators know: `1) first 2) second `. */
export function describeErrors(errors: readonly { readonly description: string }[]): string {
  return errors.map((error, index) => `${index + 1}) ${error.description} `).join("");
}
