/** Bounds on what a chart may cost. */
export interface HelmLimits {
  /** All files of the chart together, unpacked. */
  readonly maxChartBytes: number;
  readonly maxFileBytes: number;
  /** Files in a chart, those of subcharts included. */
  readonly maxFiles: number;
  /** Charts inside charts. */
  readonly maxChartDepth: number;
  /** Charts that take part in a render: one that has several aliases counts as often. */
  readonly maxCharts: number;
  /** Values in the files of all charts, and values that are copied on their way to subcharts. */
  readonly maxValues: number;
  /** Lines of a `.helmignore`. */
  readonly maxIgnoreRules: number;
  /** Names, literals and signs between the braces of all templates. */
  readonly maxTokens: number;
  /** Includes, template actions and `tpl` inside each other. Helm itself stops at 1,000 includes of one name. */
  readonly maxTemplateDepth: number;
  /**
   * UTF-16 units that all templates together may print and functions may make, intermediate results counted. An element
   * of a list counts as 16, an entry of a map as 64, a map as 96.
   */
  readonly maxOutputLength: number;
  /** Of that, what one value may have that a function makes or prints. */
  readonly maxValueLength: number;
  readonly maxDocuments: number;
  /** UTF-16 units of a values.schema.json. */
  readonly maxSchemaLength: number;
  /** What checking the values against all schemas may take. */
  readonly maxSchemaMilliseconds: number;
  /** Actions, branches and loop passes. */
  readonly maxSteps: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: HelmLimits = {
  maxChartBytes: 100 * mebibyte,
  maxFileBytes: 5 * mebibyte,
  maxFiles: 10_000,
  maxChartDepth: 100,
  maxCharts: 10_000,
  maxValues: 500_000,
  maxIgnoreRules: 1_000,
  maxTokens: 500_000,
  maxTemplateDepth: 1_100,
  maxOutputLength: 64 * mebibyte,
  maxValueLength: 16 * mebibyte,
  maxDocuments: 50_000,
  maxSchemaLength: mebibyte,
  maxSchemaMilliseconds: 10_000,
  maxSteps: 20_000_000,
};
