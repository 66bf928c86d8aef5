import type { MigrationResult } from "./migration.ts";

/** Named at most; the results file has all. */
const mostNamed = 10;

/** What became of every Shoot, in numbers; which did not succeed, and why; what to do next. */
export function migrationSummary(
  results: readonly MigrationResult[],
  { folder, isDryRun }: { readonly folder: string; readonly isDryRun: boolean },
): string {
  const count = (...statuses: readonly string[]): number =>
    results.filter(({ status }) => statuses.includes(status)).length;
  const failures = count("Error", "ValidationError");
  const differing = count("ValidationDetectedUnwantedUpdate");
  const open = results.filter(({ status }) => status !== "Success");
  const more = open.length - mostNamed;
  return [
    `${folder}: ${count("Success")} succeeded, ${failures} failed, ${differing} differ`,
    ...open.slice(0, mostNamed).map(openLine),
    ...(more > 0 ? [`  and ${more} more: see ${folder}/migration-results.json`] : []),
    ...(isDryRun ? ["no Runtime was written: that takes --dry-run=false"] : []),
    "",
  ].join("\n");
}

function openLine({ runtimeId, status, errorMessage, comparisonResultDirPath }: MigrationResult): string {
  const where = comparisonResultDirPath === undefined ? [] : [`see ${comparisonResultDirPath}`];
  return `  ${[runtimeId, errorMessage ?? status, ...where].join(": ")}`;
}
