import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "@kyma-operators/yaml";
import { type Chart, type Compat, loadChart } from "helm-ts-lite";
import { casesDir } from "./cases-dir.ts";

/** What the real helm gave for an expression: a text, or an error (its beginning and end when it is very long). */
export interface Answer {
  readonly expected?: string;
  readonly error?: string;
  readonly error_starts?: string;
  readonly error_ends?: string;
}

export interface Expression extends Answer {
  readonly id: string;
  readonly template: string;
  /** The result holds bytes that are not UTF-8, recorded as U+FFFD. */
  readonly lossy?: boolean;
  /** What helm 3 gives where it differs. */
  readonly helm3?: Answer;
}

interface Table {
  readonly chart_yaml: string;
  readonly values_yaml: string;
  readonly files: Readonly<Record<string, string>>;
  readonly cases: readonly Expression[];
}

export const helmCases = join(casesDir, "cases/helm");

const table = parseYaml(readFileSync(join(helmCases, "expressions.yaml"), "utf8"), { integers: "float64" }) as Table;

export const expressions = table.cases;

/** The files of the chart around a template, by path. */
export function chartFiles(template: string): Map<string, Uint8Array> {
  const texts = {
    "Chart.yaml": table.chart_yaml,
    "values.yaml": table.values_yaml,
    ...table.files,
    "templates/case.yaml": template,
  };
  return new Map(Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)]));
}

export function chartOf(template: string, compat: Compat): Chart {
  return loadChart(chartFiles(template), { compat });
}
