import { deepEqual, equal, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { load } from "js-yaml";
import { casesDir } from "./cases-dir.ts";
import { comparable } from "./shoot-comparison.ts";

const root = join(import.meta.dirname, "..");
const samples = join(casesDir, "reference/samples/infrastructure-manager");
const scratch = mkdtempSync(join(tmpdir(), "kyma-convert-"));
const program = join(scratch, "dist/kyma.js");

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[]): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: scratch, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

interface RecordedCase {
  readonly id: string;
  readonly config: string;
  readonly audit: boolean;
  readonly windows: boolean;
  readonly structured: boolean;
  readonly runtime: unknown;
  readonly existing?: unknown;
  readonly caches?: unknown;
  readonly expected?: unknown;
  readonly error?: string;
}

function write(name: string, value: unknown): string {
  writeFileSync(join(scratch, name), JSON.stringify(value));
  return name;
}

function argsOf({ id, ...recorded }: RecordedCase): readonly string[] {
  const flags = [`--converter-config=${join(samples, "config", recorded.config)}`, "-o", "json"];
  if (recorded.audit) flags.push(`--audit-log-config=${join(samples, "config/audit_log_tenants.json")}`);
  if (recorded.windows) flags.push(`--maintenance-windows=${join(samples, "config/maintenance_windows.json")}`);
  if (recorded.structured) flags.push("--structured-auth-enabled");
  if (recorded.existing !== undefined) flags.push("--existing-shoot", write(`${id}.shoot.json`, recorded.existing));
  if (recorded.caches !== undefined) flags.push("--cache-config", write(`${id}.caches.json`, recorded.caches));
  return ["runtime", "convert", "-f", write(`${id}.runtime.json`, recorded.runtime), ...flags];
}

/**
 * Runs the main module of the built program once per command in one process: starting Node 240 times would test Node.
 */
const runner = `
import { readFileSync, readdirSync } from "node:fs";
const [folder, file] = process.argv.slice(2);
const main = readdirSync(folder).find((name) => /^kyma-main-.*\\.js$/.test(name));
const answers = [];
const write = process.stdout.write.bind(process.stdout);
for (const [index, args] of JSON.parse(readFileSync(file, "utf8")).entries()) {
  const answer = { code: 0, stdout: "", stderr: "" };
  process.stdout.write = (text) => { answer.stdout += text; return true; };
  process.stderr.write = (text) => { answer.stderr += text; return true; };
  process.argv = [process.execPath, "kyma", ...args];
  process.removeAllListeners();
  await import(folder + "/" + main + "?" + index);
  answers.push({ ...answer, code: process.exitCode ?? 0 });
}
process.exitCode = 0;
write(JSON.stringify(answers));
`;

async function runAll(commands: readonly (readonly string[])[]): Promise<readonly Answer[]> {
  writeFileSync(join(scratch, "runner.mjs"), runner);
  const { code, stdout, stderr } = await run([
    join(scratch, "runner.mjs"),
    join(scratch, "dist/chunks"),
    join(scratch, write("commands.json", commands)),
  ]);
  equal(code, 0, stderr);
  return JSON.parse(stdout) as readonly Answer[];
}

describe("the built kyma runtime convert", () => {
  beforeAll(async () => {
    const { code, stderr } = await run([join(root, "hack/build.ts"), "--outdir", join(scratch, "dist")]);
    equal(code, 0, stderr);
  }, 120_000);
  afterAll(() => rmSync(scratch, { recursive: true }));

  test("answers all 240 recorded conversions", async () => {
    const lines = readFileSync(join(casesDir, "cases/shoot/cases.jsonl"), "utf8").trim().split("\n");
    const recorded = lines.map((line) => JSON.parse(line) as RecordedCase);
    const answers = await runAll(recorded.map(argsOf));

    for (const [index, { id, expected, error }] of recorded.entries()) {
      const { code, stdout, stderr } = answers[index] ?? { code: -1, stdout: "", stderr: "not run" };
      equal(code, error === undefined ? 0 : 1, `${id}: ${stderr}`);
      if (error === undefined) deepEqual(comparable(JSON.parse(stdout)), comparable(expected), id);
      else ok(stderr.includes(error), `${id}: ${stderr}`);
    }
  }, 120_000);

  test("prints YAML unless told otherwise, and takes the refused samples' texts to standard error", async () => {
    const config = `--converter-config=${join(samples, "config/converter_config.json")}`;
    const convert = (file: string): Promise<Answer> => run([program, "runtime", "convert", "-f", file, config]);
    const created = await convert(join(samples, "create/01-aws-minimal/runtime.yaml"));
    equal((load(created.stdout) as { kind: string }).kind, "Shoot", created.stderr);

    for (const name of readdirSync(join(samples, "errors"))) {
      const file = join(samples, "errors", name);
      const [, expected = ""] = /# ERROR TEXT \(contains\): (.*)/.exec(readFileSync(file, "utf8")) ?? [];
      const { code, stdout, stderr } = await convert(file);
      deepEqual({ code, stdout }, { code: 1, stdout: "" }, name);
      ok(expected !== "" && stderr.includes(expected), `${name}: ${stderr}`);
    }
  }, 60_000);
});
