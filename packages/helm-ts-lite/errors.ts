import { defineErrors } from "@kyma-operators/errors";

/** What a chart can be refused for. The texts of `CHART`, `ARCHIVE`, `VALUES` and `RENDER` are helm's own. */
export const helm = defineErrors("HELM", {
  /** The chart cannot be loaded: a file is missing, malformed or not allowed. */
  CHART: { retry: "never", text: (d: { text: string }) => d.text },
  /** The bytes are no chart archive, or the archive holds what it must not. The helm command line hides the reason. */
  ARCHIVE: { retry: "never", text: (d: { text: string }) => d.text },
  /** The values or flags given to a chart are wrong. */
  VALUES: { retry: "never", text: (d: { text: string }) => d.text },
  /** The chart does not render with these values. */
  RENDER: { retry: "never", text: (d: { text: string }) => d.text },
  /** The chart wants more than it is allowed, at the file and line in `place`. `limit` is a name of `HelmLimits`. */
  LIMIT: {
    retry: "never",
    text: (d: { chart: string; limit: string; max: number; place?: string | undefined }) =>
      `chart ${d.chart}: ${d.place === undefined ? "" : `${d.place} `}exceeds the limit ${d.limit} = ${d.max}; raise it only for charts you trust`,
  },
});
