/** Major, minor and patch, the parts that decide whether a version is higher; each may use all of 64 bits. */
export type Core = readonly [bigint, bigint, bigint];

const lenient =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const maxPart = 2n ** 64n - 1n;

/** Reads a version leniently: a leading `v`, missing parts and leading zeros pass. Undefined: no version. */
export function parseCore(version: string): Core | undefined {
  const match = version.length > 256 ? null : lenient.exec(version);
  if (match === null) return undefined;
  const [major, minor, patch] = [match[1], match[2], match[3]].map((part) => BigInt(part ?? 0));
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return [major, minor, patch].some((part) => part > maxPart) ? undefined : [major, minor, patch];
}

/** Negative, zero or positive, as `a` is lower than, equal to or higher than `b`. */
function compareCores(a: Core, b: Core): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? 0n;
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}

/** Whether a version may replace the installed one. Pre-releases of one version count as equal. */
export type VersionChange = "allowed" | "downgrade" | "old version invalid" | "new version invalid";

export function judgeVersionChange(installed: string, wanted: string): VersionChange {
  const from = parseCore(installed);
  if (from === undefined) return "old version invalid";
  const to = parseCore(wanted);
  if (to === undefined) return "new version invalid";
  return compareCores(to, from) < 0 ? "downgrade" : "allowed";
}
