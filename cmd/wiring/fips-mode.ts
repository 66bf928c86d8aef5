import { getFips } from "node:crypto";
import type { MetricsRegistry } from "@kyma-operators/runtime";

/**
 * Shows whether this process uses only approved cryptography: 0 no, 1 yes, 2 yes and everything else is refused. The
 * last value of `fips140` in GODEBUG counts, as in the Go operators; whether there is an approved module, Node.js knows.
 */
export function showFipsMode(
  metrics: MetricsRegistry,
  { GODEBUG = "" }: Readonly<Record<string, string | undefined>>,
  enabled: boolean = getFips() === 1,
): void {
  const settings = GODEBUG.split(",").map((entry) => entry.split("="));
  const [, last] = settings.findLast(([name]) => name === "fips140") ?? [];
  const mode = last === "only" ? 2 : 1;
  metrics
    .gauge("lifecycle_mgr_fips_mode", "1 in FIPS mode, 2 where nothing else is allowed, else 0")
    .set({}, enabled ? mode : 0);
}
