/** `ci-summary.ts DIR [FAILED-STEP…]`: adds up the test reports in DIR; the last line is what CI reads. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numRuntimeErrorTestSuites: number;
}

const [directory = "reports", ...failedSteps] = process.argv.slice(2);
const reports = readdirSync(directory)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, report: JSON.parse(readFileSync(join(directory, name), "utf8")) as Report }));

let passed = 0;
let failed = 0;
for (const { name, report } of reports) {
  passed += report.numPassedTests;
  failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
  console.log(`${name.replace(".json", "")}: ${report.numPassedTests} passed, ${report.numFailedTests} failed`);
}
// A step that failed without a failing test (types, lint, an install) counts as one.
const silent = failedSteps.length > 0 && failed === 0 ? failedSteps.length : 0;
if (failedSteps.length > 0) console.log(`failed: ${failedSteps.join(", ")}`);
console.log(`${passed} passed, ${failed + silent} failed`);
process.exitCode = failed + silent > 0 || passed === 0 ? 1 : 0;
