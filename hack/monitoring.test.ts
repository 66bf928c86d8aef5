import { deepEqual, doesNotMatch, equal, match, ok, throws } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { allMetrics, type Metric } from "./metrics.ts";
import { described, runbookTexts } from "./pages/alerts.ts";
import { usagesOf } from "./promql.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}
interface RuleObject {
  readonly kind: string;
  readonly spec: { readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] };
}

const folder = "config/prometheus";
const rules = [...readdirSync(join(root, folder))]
  .filter((name) => name.endsWith("-rules.yaml"))
  .flatMap((name) => parseYamlDocuments(read(join(folder, name)), { name }) as unknown as readonly RuleObject[])
  .flatMap(({ spec }) => spec.groups.flatMap((group) => group.rules));

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[];
  }[];
}

const dashboards = [...readdirSync(join(root, "config/grafana/dashboards"))].map(
  (name) => JSON.parse(read(`config/grafana/dashboards/${name}`)) as Dashboard,
);

function cellsOf({ x, y, w, h }: Dashboard["panels"][number]["gridPos"]): readonly string[] {
  return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
}

/** Labels that Prometheus itself puts on what it scrapes. */
const scraped = new Set(["instance", "job", "namespace", "pod", "service", "le"]);

/** What is wrong with a query, one text each. */
function problemsOf(query: string, metrics: ReadonlyMap<string, Metric>): readonly string[] {
  const usages = usagesOf(query);
  const known = usages.map(({ metric }) => metrics.get(metric) ?? ofHistogram(metric, metrics));
  const labels = new Set(known.flatMap((metric) => metric?.labels ?? []));
  return usages.flatMap(({ metric, labels: asked }, index) => {
    if (known[index] === undefined) return [`no metric ${metric}`];
    return asked
      .filter((label) => !labels.has(label) && !scraped.has(label))
      .map((label) => `${metric} has no label ${label}`);
  });
}

function ofHistogram(name: string, metrics: ReadonlyMap<string, Metric>): Metric | undefined {
  const found = metrics.get(name.replace(/_(bucket|sum|count)$/, ""));
  return found?.type === "histogram" ? found : undefined;
}

const byName = async (): Promise<ReadonlyMap<string, Metric>> =>
  new Map((await allMetrics()).map((metric) => [metric.name, metric]));

describe("usagesOf", () => {
  test("tells metrics and labels, and leaves functions, ranges and numbers out", () => {
    deepEqual(usagesOf('sum by (a, le) (rate(m_total{b="x",c=~"y|z"}[5m])) / on(a) n > 1.5e6'), [
      { metric: "m_total", labels: ["b", "c", "a", "le", "a"] },
      { metric: "n", labels: ["a", "le", "a"] },
    ]);
  });

  test("a query with a metric or a label that does not exist is found", async () => {
    const metrics = await byName();
    deepEqual(problemsOf("sum(lifecycle_mgr_kyma_status)", metrics), ["no metric lifecycle_mgr_kyma_status"]);
    deepEqual(problemsOf("sum by (kyma) (lifecycle_mgr_kyma_state)", metrics), [
      "lifecycle_mgr_kyma_state has no label kyma",
    ]);
    deepEqual(problemsOf("workqueue_depth_bucket", metrics), ["no metric workqueue_depth_bucket"]);
  });
});

describe("alert rules", () => {
  test("ask only for metrics and labels that exist", async () => {
    const metrics = await byName();
    deepEqual(
      rules.flatMap(({ alert, expr }) => problemsOf(expr, metrics).map((problem) => `${alert}: ${problem}`)),
      [],
    );
  });

  test("have a name of their own, a severity, a duration in Prometheus' words and a summary", () => {
    ok(rules.length >= 25, `${rules.length} rules`);
    equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
    for (const { alert, labels, annotations, for: lasting } of rules) {
      match(alert, /^[A-Z][A-Za-z]+$/);
      match(labels.severity, /^(critical|warning)$/, alert);
      if (lasting !== undefined) match(lasting, /^\d+[smhd]$/, alert);
      ok(annotations.summary.length > 10, alert);
    }
  });

  test("say only labels in their summary that the query keeps", () => {
    for (const { alert, expr, annotations } of rules) {
      const kept = new Set(usagesOf(expr).flatMap(({ labels }) => labels));
      for (const [, label = ""] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
        ok(kept.has(label), `${alert}: the query does not keep ${label}`);
      }
    }
  });

  test("lead to a section of the runbooks, and no section is left over", () => {
    const page = "docs/guides/runbooks.md";
    const anchors = [...read(page).matchAll(/^## (\S+)$/gm)].map(([, title = ""]) => title.toLowerCase());
    deepEqual(
      rules.map(({ annotations }) => annotations.runbook_url).toSorted(),
      anchors.map((anchor) => `${page}#${anchor}`).toSorted(),
    );
    for (const { alert, annotations } of rules) equal(annotations.runbook_url, `${page}#${alert.toLowerCase()}`);
  });

  test("carry the whole runbook as text: where to look and what to do, in commands that work as they stand", () => {
    const texts = runbookTexts(read("docs/guides/runbooks.md"));
    for (const { alert, annotations } of rules) {
      equal(annotations.description, texts.get(alert), alert);
      match(annotations.description, /Look: .*Do: |^As \w+Error, /, alert);
      doesNotMatch(annotations.description, /\]\(|`k |\{\{/, alert);
    }
  });

  test("a rule without a runbook is refused, and one that is described already is described anew", () => {
    const rule = "    - alert: A\n      annotations:\n        summary: a\n        runbook_url: x\n";
    const described1 = described(rule, runbookTexts("## A\n\nSee `k get x`,\n[B](#b). *Do*: nothing.\n"));
    match(
      described1,
      /summary: a\n {8}description: >-\n {10}See `kubectl -n kcp-system get x`, B\. Do: nothing\.\n {8}run/,
    );
    equal(
      described(described1, runbookTexts("## A\n\nNew.")),
      rule.replace("a\n        r", "a\n        description: >-\n          New.\n        r"),
    );
    throws(() => described(rule, new Map()), /has no section A/);
  });

  test.each([
    ["a summary of several lines", "- alert: A\n  annotations:\n    summary: >-\n      a\n"],
    ["no summary", "- alert: A\n  annotations: {}\n"],
    ["quotes around its name", '- alert: "A"\n  annotations:\n    summary: a\n'],
  ])("a rule with %s is not left out in silence", (_what, rule) => {
    throws(() => described(rule, new Map([["A", "a"]])), /alert A has not got its description/);
    throws(() => described(rule, new Map()), /has no section A|alert A has not got/);
  });
});

describe("dashboards", () => {
  test("ask only for metrics and labels that exist, in query and legend", async () => {
    const metrics = await byName();
    const problems = dashboards.flatMap(({ uid, panels }) =>
      panels.flatMap(({ title, targets = [] }) =>
        targets.flatMap(({ expr, legendFormat = "" }) => {
          const kept = new Set(usagesOf(expr).flatMap(({ labels }) => labels));
          const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
          const lost = shown.filter((label) => !kept.has(label) && !scraped.has(label));
          return [...problemsOf(expr, metrics), ...lost.map((label) => `the query does not keep ${label}`)].map(
            (problem) => `${uid}, ${title}: ${problem}`,
          );
        }),
      ),
    );
    deepEqual(problems, []);
  });

  test("place every panel on the grid, and none on another", () => {
    equal(dashboards.length, 4);
    for (const { uid, panels } of dashboards) {
      const taken = panels.flatMap(({ gridPos }) => cellsOf(gridPos));
      equal(new Set(taken).size, taken.length, `${uid}: a panel lies on another one`);
      for (const { title, gridPos } of panels) ok(gridPos.x + gridPos.w <= 24, `${uid}, ${title}`);
      equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    }
  });

  test("show every metric of the operator somewhere, or an alert does", async () => {
    const used = new Set(
      [
        ...dashboards.flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))),
        ...rules.map(({ expr }) => expr),
      ]
        .flatMap(usagesOf)
        .map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, "")),
    );
    const unused = (await allMetrics()).filter(({ name, part }) => part !== "watcher agent" && !used.has(name));
    deepEqual(
      unused.map(({ name }) => name),
      [
        "workqueue_work_duration_seconds",
        "workqueue_unfinished_work_seconds",
        "lifecycle_mgr_fips_mode",
        "lifecycle_mgr_maintenance_window_config_read_success",
        "watcher_listener_exceeding_size_limit_requests_total",
        "watcher_listener_request_duration",
        "watcher_listener_inflight_requests",
      ],
    );
  });
});
