/**
 * Values for modules that are charts, one Secret per Kyma and beside it: under one key a YAML map with `global`, for all
 * modules, and the values of single modules by their names.
 */
export const moduleValuesKey = "values.yaml";

/** Label of such a Secret; its value is the name of the Kyma. */
export const moduleValuesLabel = "cli.kyma-project.io/values-of";

export function moduleValuesName(kyma: string): string {
  return `kyma-values-${kyma}`;
}
