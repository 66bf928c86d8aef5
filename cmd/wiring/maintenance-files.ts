import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { textOf } from "@kyma-operators/errors";
import type { Logger, MetricsRegistry } from "@kyma-operators/runtime";
import { type Policy, parsePolicy } from "../../modules/maintenance/policy.ts";

const defaultFolder = "/etc/maintenance-policy";

/** Reads `policy.json` of the folder in `MAINTENANCE_POLICY_PATH`, once. Without a usable file no window is ever open. */
export async function readMaintenancePolicy(
  env: Readonly<Record<string, string | undefined>>,
  { log, metrics }: { readonly log: Logger; readonly metrics: MetricsRegistry },
): Promise<{ readonly policy?: Policy }> {
  const help = "1 when the maintenance policy could be read at start, else 0";
  const readable = metrics.gauge("lifecycle_mgr_maintenance_window_config_read_success", help);
  const file = join(env["MAINTENANCE_POLICY_PATH"] ?? defaultFolder, "policy.json");
  try {
    const policy = parsePolicy(await readFile(file, "utf8"));
    readable.set({}, 1);
    return { policy };
  } catch (error) {
    readable.set({}, 0);
    log.info({ file, error: textOf(error) }, "no maintenance policy: upgrades that need a window are not made");
    return {};
  }
}
