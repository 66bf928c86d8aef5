/** Bounds on what a chart may cost. */
export interface HelmLimits {
  /** All files of the chart together, unpacked. */
  readonly maxChartBytes: number;
  readonly maxFileBytes: number;
  /** Files in a chart, those of subcharts included. */
  readonly maxFiles: number;
  /** Charts inside charts. */
  readonly maxChartDepth: number;
  /** Includes, template actions and `tpl` inside each other. Helm itself stops at 1,000 includes of one name. */
  readonly maxTemplateDepth: number;
  /** UTF-16 units that all templates together may print, intermediate results of `include` counted. */
  readonly maxOutputLength: number;
  /** UTF-16 units of one value that a function makes. */
  readonly maxValueLength: number;
  /** Actions, branches and loop passes. */
  readonly maxSteps: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: HelmLimits = {
  maxChartBytes: 100 * mebibyte,
  maxFileBytes: 5 * mebibyte,
  maxFiles: 10_000,
  maxChartDepth: 100,
  maxTemplateDepth: 1_100,
  maxOutputLength: 64 * mebibyte,
  maxValueLength: 32 * mebibyte,
  maxSteps: 20_000_000,
};
