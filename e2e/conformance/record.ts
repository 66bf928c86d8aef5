/**
 * Records the answers of a real Kubernetes API server, with its controller manager, as what the suite expects:
 * `SERVER=https://… CA=ca.crt TOKEN=… node --conditions=source e2e/conformance/record.ts [TOPIC …]`; with `ONLY=TEXT` just
 * the cases whose name holds that text, beside what is recorded already.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Answer } from "./case.ts";
import { runCase } from "./run.ts";
import { suite } from "./suite.ts";

const { SERVER: url = "", CA: ca = "", TOKEN: token = "", ONLY: only = "" } = process.env;
const server = { url, caCertificate: await readFile(ca, "utf8"), token };
const topics = process.argv.slice(2);

for (const [topic, cases] of Object.entries(suite)) {
  if (topics.length > 0 && !topics.includes(topic)) continue;
  const path = join(import.meta.dirname, "answers", `${topic}.json`);
  const known = only === "" ? {} : (JSON.parse(await readFile(path, "utf8")) as Record<string, readonly Answer[]>);
  const answers: Record<string, readonly Answer[]> = {};
  for (const one of cases) {
    if (answers[one.name] !== undefined) throw new Error(`two cases are called ${one.name}`);
    answers[one.name] = one.name.includes(only) ? await runCase(server, one) : (known[one.name] ?? []);
  }
  await writeFile(path, `${JSON.stringify(answers, null, 1)}\n`);
  process.stdout.write(`${topic}: ${cases.length} cases\n`);
}
