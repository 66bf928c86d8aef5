import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { createLogger, createMetrics, silentLogger } from "@kyma-operators/runtime";
import { analysisFrom } from "../controllers/manifest/index.ts";
import { ineffectiveVariables, operatorVariables } from "./flags/variables.ts";
import { showFipsMode } from "./wiring/fips-mode.ts";
import { readMaintenancePolicy } from "./wiring/maintenance-files.ts";

const label = { KLM_EXPERIMENTAL_MANAGED_FIELDS_ANALYSIS_LABEL: "example.org/analyse" };

describe("the environment variables that users of the Go operator know by name", () => {
  test("MAINTENANCE_POLICY_PATH: the folder of the policy", async () => {
    const folder = await mkdtemp(join(tmpdir(), "policy-"));
    await writeFile(join(folder, "policy.json"), '{"default":{"begin":"01:00:00Z","end":"02:00:00Z","days":["Sat"]}}');
    const read = async (env: Record<string, string>) =>
      (await readMaintenancePolicy(env, { log: silentLogger, metrics: createMetrics() })).policy !== undefined;
    deepEqual([await read({ MAINTENANCE_POLICY_PATH: folder }), await read({})], [true, false]);
    await rm(folder, { recursive: true });
  });

  test("GODEBUG: the FIPS mode in a metric", async () => {
    const metrics = createMetrics();
    showFipsMode(metrics, { GODEBUG: "fips140=only" }, true);
    ok((await metrics.scrape()).text.includes("lifecycle_mgr_fips_mode 2"));
  });

  test("KLM_EXPERIMENTAL_MANAGED_FIELDS_ANALYSIS_LABEL: switches the analysis on", () => {
    deepEqual([analysisFrom({}), analysisFrom(label)?.label], [undefined, "example.org/analyse"]);
  });

  test("KLM_EXPERIMENTAL_KNOWN_MANAGERS: managers that are expected", () => {
    deepEqual(analysisFrom({ ...label, KLM_EXPERIMENTAL_KNOWN_MANAGERS: "a;b" })?.knownManagers, ["a", "b"]);
  });

  test("KLM_EXPERIMENTAL_FREQUENCY_LIMITER_TTL: seconds between two reports", () => {
    equal(analysisFrom({ ...label, KLM_EXPERIMENTAL_FREQUENCY_LIMITER_TTL: "60" })?.intervalMs, 60_000);
  });

  test("ENABLE_LEGACY_KYMA_DELETION: is said to have no effect, where it is true", () => {
    deepEqual(
      ineffectiveVariables({ ENABLE_LEGACY_KYMA_DELETION: "true", GODEBUG: "true" }).map(({ name }) => name),
      ["ENABLE_LEGACY_KYMA_DELETION"],
    );
    deepEqual(ineffectiveVariables({ ENABLE_LEGACY_KYMA_DELETION: "false" }), []);
  });

  test("all of them stand in the reference", async () => {
    const page = await readFile(join(import.meta.dirname, "../docs/reference/operator-flags.md"), "utf8");
    const listed = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
    deepEqual(listed, Object.keys(operatorVariables));
  });
});

test("date, level, context: the fields of every log line, with what it is about in its context", () => {
  const lines: string[] = [];
  const log = createLogger("info", { write: (line) => lines.push(line) });
  log
    .child({ controller: "kyma", namespace: "kcp-system", name: "runtime-1" })
    .info({ state: "Ready" }, "status changed");
  const [line] = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
  deepEqual(Object.keys(line ?? {}).toSorted(), ["context", "date", "level", "msg"]);
  equal(line?.["level"], "info");
  deepEqual(line?.["context"], { controller: "kyma", namespace: "kcp-system", name: "runtime-1", state: "Ready" });
});
