/** The parts of a PromQL query that can be wrong without being refused: names of metrics and labels. */
export interface Usage {
  readonly metric: string;
  readonly labels: readonly string[];
}

const functions = new Set(
  "abs absent and avg avg_over_time bool by clamp_min count deriv group_left histogram_quantile ignoring increase max min on or rate sum time topk unless without".split(
    " ",
  ),
);
const grouping = /\b(?:by|without|on|ignoring|group_left)\s*\(([^)]*)\)/g;
const selector = /([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\})?/g;

/** The metrics of a query, each with the labels that are asked of it: in its braces, and by grouping anywhere. */
export function usagesOf(query: string): readonly Usage[] {
  const grouped = [...query.matchAll(grouping)].flatMap(([, labels = ""]) => labels.split(","));
  const rest = query
    .replaceAll(grouping, " ")
    .replaceAll(/\[[^\]]*\]/g, " ")
    .replaceAll(/\b\d+(\.\d+)?(e\d+)?\b/g, " ");
  return [...rest.matchAll(selector)]
    .filter(([, name = ""]) => !functions.has(name))
    .map(([, metric = "", braces = ""]) => ({
      metric,
      labels: [...labelsIn(braces), ...grouped.map((label) => label.trim())].filter((label) => label !== ""),
    }));
}

function labelsIn(braces: string): readonly string[] {
  return [...braces.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => label);
}
