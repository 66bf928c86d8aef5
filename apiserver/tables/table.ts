import type { AnyObject } from "@kyma-operators/kube";
import type { PrinterColumn, ServedResource } from "../resources/resource.ts";
import { layouts, nameColumn, plainLayout, scaleLayout } from "./columns.ts";
import { formatAge } from "./format.ts";
import { compileJsonPath } from "./json-path.ts";
import type { Column, TableLayout } from "./layout.ts";

export interface TableOptions {
  /** Of `meta.k8s.io`. */
  readonly version: string;
  readonly now: number;
  /** `includeObject` of the query: `None`, `Metadata` (default) or `Object`. */
  readonly include: string | null;
}

/** A `meta.k8s.io` Table, as `kubectl get` asks for it. */
export function tableOf(
  resource: ServedResource,
  objects: readonly AnyObject[],
  { version, now, include }: TableOptions,
): AnyObject {
  const [first, ...more] = objects;
  const layout = first?.apiVersion === "autoscaling/v1" && first.kind === "Scale" ? scaleLayout : layoutOf(resource);
  const version1 = more.length === 0 ? first?.metadata.resourceVersion : undefined;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: version1 === undefined ? {} : { resourceVersion: version1 },
    columnDefinitions: layout.columns,
    rows: objects.map((object) => ({ cells: layout.cells(object, now), ...shownObject(object, version, include) })),
  };
}

function shownObject(
  object: AnyObject,
  version: string,
  include: string | null,
): { readonly object: AnyObject | null } {
  if (include === "None") return { object: null };
  if (include === "Object") return { object };
  return { object: { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata } };
}

/** What a definition without columns shows. */
const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
  jsonPath: ".metadata.creationTimestamp",
};

const customLayouts = new WeakMap<readonly PrinterColumn[], TableLayout>();

function layoutOf({ collection, custom }: ServedResource): TableLayout {
  if (custom === undefined) return layouts[collection] ?? plainLayout;
  if (custom.columns === undefined || custom.columns.length === 0) return layoutOfColumns([ageColumn]);
  let layout = customLayouts.get(custom.columns);
  if (layout === undefined) {
    layout = layoutOfColumns(custom.columns);
    customLayouts.set(custom.columns, layout);
  }
  return layout;
}

function layoutOfColumns(columns: readonly PrinterColumn[]): TableLayout {
  const readers = columns.map(({ type, jsonPath }) => ({ type, read: compileJsonPath(jsonPath) ?? (() => []) }));
  return {
    columns: [nameColumn, ...columns.map(columnOf)],
    cells: (object, now) => [object.metadata.name, ...readers.map(({ type, read }) => cellOf(read(object), type, now))],
  };
}

function columnOf({ name, type, format = "", description = "", priority = 0, jsonPath }: PrinterColumn): Column {
  const text = description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description;
  return { name, type, format, description: text, priority };
}

/** A value that is not of the column's type is left out, as Kubernetes does. */
function cellOf(values: readonly unknown[], type: string, now: number): unknown {
  const [value] = values;
  if (value === undefined || value === null) return null;
  if (type === "date") return formatAge(value, now);
  if (type === "integer") return typeof value === "number" ? Math.trunc(value) : null;
  if (type === "number") return typeof value === "number" ? value : null;
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  const texts = values.map((item) =>
    typeof item === "object" ? JSON.stringify(item) : String(item as string | number | boolean),
  );
  return texts.join(",");
}
