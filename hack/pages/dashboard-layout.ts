import type { Page } from "./page.ts";

/** A query and how its series are called. */
export type Query = readonly [expr: string, legend: string];

export interface Panel {
  readonly title: string;
  readonly type: "timeseries" | "stat" | "table";
  /** As Grafana names units; `short` for counts. */
  readonly unit: string;
  readonly queries: readonly Query[];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const datasource = { type: "prometheus", uid: "${datasource}" };
const [columns, height] = [24, 8];
const widths = { timeseries: 12, table: 12, stat: 6 } as const;

/** Places panels from left to right, in as many lines as they need. */
function layout(rows: readonly Row[]): readonly object[] {
  const placed: object[] = [];
  let [x, y] = [0, 0];
  const place = (panel: object, w: number, h: number): void => {
    if (x + w > columns) [x, y] = [0, y + height];
    placed.push({ id: placed.length + 1, gridPos: { x, y, w, h }, ...panel });
    x += w;
  };
  for (const { title, panels } of rows) {
    if (x > 0) [x, y] = [0, y + height];
    place({ type: "row", title, collapsed: false, panels: [] }, columns, 1);
    [x, y] = [0, y + 1];
    for (const panel of panels) place(panelOf(panel), widths[panel.type], height);
  }
  return placed;
}

function panelOf({ title, type, unit, queries }: Panel): object {
  const instant = type !== "timeseries";
  return {
    type,
    title,
    datasource,
    fieldConfig: { defaults: { unit, ...(type === "timeseries" ? { min: 0 } : {}) }, overrides: [] },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource,
      expr,
      ...(instant ? { instant: true, ...(type === "table" ? { format: "table" } : {}) } : { legendFormat }),
    })),
    ...(type === "table"
      ? { transformations: [{ id: "organize", options: { excludeByName: { Time: true, Value: true } } }] }
      : {}),
  };
}

/** A dashboard as Grafana imports it. */
export function dashboard(uid: string, title: string, rows: readonly Row[]): Page {
  const model = {
    uid: `kyma-operators-${uid}`,
    title: `Kyma operators / ${title}`,
    tags: ["kyma-operators"],
    schemaVersion: 41,
    editable: true,
    refresh: "1m",
    time: { from: "now-6h", to: "now" },
    timezone: "utc",
    templating: {
      list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus", hide: 0 }],
    },
    panels: layout(rows),
  };
  return { path: `config/grafana/dashboards/${uid}.json`, text: () => `${JSON.stringify(model, undefined, 2)}\n` };
}
