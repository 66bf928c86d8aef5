import { defineErrors } from "@kyma-operators/errors";
import type { FlagValues } from "./flags.ts";
import type { operatorFlags } from "./operator.ts";

export const startErrors = defineErrors("START", {
  /** Flags contradict each other or are outside their range. */
  INVALID_FLAGS: { retry: "never", text: (d: { problems: readonly string[] }) => d.problems.join("; ") },
  /** The registry of the module components can't be told from the flags. */
  REGISTRY: { retry: "on-change", text: (d: { problem: string }) => `registry of the modules: ${d.problem}` },
});

type Values = FlagValues<typeof operatorFlags>;
type Check = (flags: Values) => string | undefined;

const certManagements = ["cert-manager.io/v1", "cert.gardener.cloud/v1alpha1"];
const restrictedList = /^([a-z]{3,}(-[a-z]{3,})*(,[a-z]{3,}(-[a-z]{3,})*)*)?$/;
const loops = ["kyma", "mandatory-module", "manifest", "watcher", "purge", "runtime", "gardener-cluster"];
const needRegistry: ReadonlySet<string> = new Set(["kyma", "mandatory-module"]);

const checks: readonly Check[] = [
  ({ controllers }) => {
    const unknown = controllers.filter((name) => !loops.includes(name));
    return unknown.length > 0
      ? `--controllers: unknown ${unknown.join(", ")}; known are ${loops.join(", ")}`
      : undefined;
  },
  (flags) =>
    certManagements.includes(flags["cert-management"])
      ? undefined
      : `--cert-management: expected ${certManagements.join(" or ")}, found ${JSON.stringify(flags["cert-management"])}`,
  (flags) =>
    flags["leader-election-renew-deadline"] < flags["leader-election-lease-duration"]
      ? undefined
      : "--leader-election-renew-deadline must be shorter than --leader-election-lease-duration",
  (flags) =>
    flags["self-signed-cert-key-size"] === 4096 ? undefined : "--self-signed-cert-key-size: only 4096 is supported",
  (flags) => range(flags, "manifest-requeue-jitter-probability", 0.05),
  (flags) => range(flags, "manifest-requeue-jitter-percentage", 1),
  (flags) =>
    restrictedList.test(flags["restricted-default-modules"].join(","))
      ? undefined
      : "--restricted-default-modules: expected module names of lower-case letters and dashes, separated by single commas",
  (flags) => {
    if (!flags.controllers.some((name) => needRegistry.has(name))) return undefined;
    const given = [flags["oci-registry-host"], flags["oci-registry-cred-secret"]].filter((text) => text !== "");
    return given.length === 1
      ? undefined
      : "exactly one of --oci-registry-host and --oci-registry-cred-secret is required";
  },
];

function range(
  flags: Values,
  name: "manifest-requeue-jitter-probability" | "manifest-requeue-jitter-percentage",
  most: number,
): string | undefined {
  const value = flags[name];
  return value >= 0 && value <= most ? undefined : `--${name}: expected 0 to ${most}, found ${value}`;
}

/** Throws `START_INVALID_FLAGS` with every problem at once, so that a user corrects them in one go. */
export function validateFlags(flags: Values): void {
  const problems = checks.flatMap((check) => check(flags) ?? []);
  if (problems.length > 0) throw startErrors.INVALID_FLAGS({ problems });
}
