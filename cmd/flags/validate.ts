import { defineErrors } from "@kyma-operators/errors";
import { type CheckedFlags, flagProblems } from "../../modules/flag-rules.ts";
import type { FlagValues } from "./flags.ts";
import type { operatorFlags } from "./operator.ts";

export const startErrors = defineErrors("START", {
  /** Flags contradict each other or are outside their range. */
  INVALID_FLAGS: { retry: "never", text: (d: { problems: readonly string[] }) => d.problems.join("; ") },
  /** The folder for pulled and rendered content can't be written: mount a volume there, or name another folder. */
  DATA_DIR: {
    retry: "never",
    text: (d: { folder: string; problem: string }) =>
      `--data-dir: ${d.folder} can't be written (${d.problem}); mount a volume there or name another folder`,
  },
  /** The registry of the module components can't be told from the flags. */
  REGISTRY: { retry: "on-change", text: (d: { problem: string }) => `registry of the modules: ${d.problem}` },
});

type Values = FlagValues<typeof operatorFlags>;
type Check = (flags: Values) => string | readonly string[] | undefined;

const loops = ["kyma", "mandatory-module", "manifest", "watcher", "purge", "runtime", "gardener-cluster"];
const needRegistry: ReadonlySet<string> = new Set(["kyma", "mandatory-module"]);

const checks: readonly Check[] = [
  ({ controllers }) => {
    const unknown = controllers.filter((name) => !loops.includes(name));
    return unknown.length > 0
      ? `--controllers: unknown ${unknown.join(", ")}; known are ${loops.join(", ")}`
      : undefined;
  },
  ({ mode }) =>
    mode === "operator" || mode === "skr-watcher"
      ? undefined
      : `--mode: expected operator or skr-watcher, found ${JSON.stringify(mode)}`,
  (flags) =>
    flags["leader-election-part"] !== "" && flags.shards > 1
      ? "--shards: a process with --leader-election-part is one of several already; expected 1"
      : undefined,
  ({ "leader-election-part": part }) =>
    /^([a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?)?$/.test(part)
      ? undefined
      : `--leader-election-part: expected up to 30 lower-case letters, digits and dashes, found ${JSON.stringify(part)}`,
  ({ "metrics-cleanup-interval": minutes }) =>
    minutes >= 1 ? undefined : `--metrics-cleanup-interval: expected at least 1 minute, found ${minutes}`,
  (flags) => flagProblems(checkedFlags(flags)),
];

/** The flags that the original checks, under the names of the rules. */
function checkedFlags(flags: Values): CheckedFlags {
  const registry = { host: flags["oci-registry-host"], credSecret: flags["oci-registry-cred-secret"] };
  return {
    certManagement: flags["cert-management"],
    leaseDurationMs: flags["leader-election-lease-duration"],
    renewDeadlineMs: flags["leader-election-renew-deadline"],
    certKeySize: flags["self-signed-cert-key-size"],
    jitterProbability: flags["manifest-requeue-jitter-probability"],
    jitterPercentage: flags["manifest-requeue-jitter-percentage"],
    ...(needsRegistry(flags) ? { registry } : {}),
    restrictedModules: flags["restricted-default-modules"].join(","),
  };
}

function needsRegistry({ mode, controllers }: Values): boolean {
  return mode === "operator" && controllers.some((name) => needRegistry.has(name));
}

/** Throws `START_INVALID_FLAGS` with every problem at once, so that a user corrects them in one go. */
export function validateFlags(flags: Values): void {
  const problems = checks.flatMap((check) => check(flags) ?? []);
  if (problems.length > 0) throw startErrors.INVALID_FLAGS({ problems });
}
