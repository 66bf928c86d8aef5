import { parseDurationMs } from "../apis/duration.ts";
import { type CheckedFlags, flagProblems } from "../modules/flag-rules.ts";

/** Flags of a row; those it leaves out have valid values. */
type FlagRow = Readonly<Record<string, string | number>>;

/** Answers one row of the topic `flags`. */
export function flagRow(row: FlagRow): unknown {
  const text = (name: string, valid: string): string => String(row[name] ?? valid);
  const duration = (name: string, valid: string): number => parseDurationMs(text(name, valid)) ?? Number.NaN;
  const flags: CheckedFlags = {
    certManagement: text("cert-management", "cert-manager.io/v1"),
    watcherImageTag: text("skr-watcher-image-tag", "1.0.0"),
    watcherImageRegistry: text("skr-watcher-image-registry", "registry.example.test"),
    leaseDurationMs: duration("leader-election-lease-duration", "180s"),
    renewDeadlineMs: duration("leader-election-renew-deadline", "120s"),
    certKeySize: Number(row["self-signed-cert-key-size"] ?? 4096),
    jitterProbability: Number(row["manifest-requeue-jitter-probability"] ?? 0.02),
    jitterPercentage: Number(row["manifest-requeue-jitter-percentage"] ?? 0.02),
    registry: {
      host: text("oci-registry-host", "registry.example.test"),
      credSecret: text("oci-registry-cred-secret", ""),
    },
    restrictedModules: text("restricted-default-modules", ""),
  };
  const [error] = flagProblems(flags);
  const restrictedModules = flags.restrictedModules.split(",").filter((name) => name !== "");
  return error === undefined ? { valid: true, restrictedModules } : { error };
}
