import type { Dependency, Maintainer, Metadata } from "../chart/types.ts";
import { formatValue } from "../go/print.ts";
import { type GoMap, type GoObject, type GoValue, isTrue, NilMap } from "../go/values.ts";
import { type ChartNode, metadataOf } from "../values/tree.ts";
import type { Compat } from "../version.ts";

/** A field: its Go name, its name in JSON, its value; empty ones are left out of JSON unless `always`. */
interface Field {
  readonly name: string;
  readonly json: string;
  readonly value: GoValue;
  readonly always?: boolean;
}

/** helm 4 shows charts as maps by Go name, helm 3 as structs. */
function shown(goType: string, fields: readonly Field[], compat: Compat): GoValue {
  const map: GoMap = new Map(fields.map(({ name, value }) => [name, value]));
  return compat === 4 ? map : struct(goType, fields, map);
}

/** Unknown fields of a struct are errors; as data it has the names of Chart.yaml and no empty fields. */
function struct(goType: string, fields: readonly Field[], map: GoMap): GoObject {
  return {
    goType,
    goKind: "struct",
    field: (name) => (map.has(name) ? { value: map.get(name) } : undefined),
    goText: () => `{${fields.map(({ value }) => formatValue(value)).join(" ")}}`,
    toData: () =>
      new Map(
        fields.filter(({ value, always }) => always === true || isTrue(value)).map(({ json, value }) => [json, value]),
      ),
  };
}

const plain = (name: string, value: GoValue): Field => ({
  name,
  json: name.charAt(0).toLowerCase() + name.slice(1),
  value,
});

function maintainer({ name, email, url }: Maintainer, compat: Compat): GoValue {
  return shown(
    "chart.Maintainer",
    [plain("Name", name), plain("Email", email), { name: "URL", json: "url", value: url }],
    compat,
  );
}

function dependency(entry: Dependency, compat: Compat): GoValue {
  const fields: Field[] = [
    { ...plain("Name", entry.name), always: true },
    plain("Version", entry.version),
    { ...plain("Repository", entry.repository), always: true },
    plain("Condition", entry.condition),
    plain("Tags", [...entry.tags]),
    plain("Enabled", entry.enabled),
    { name: "ImportValues", json: "import-values", value: [...entry.importValues] },
    plain("Alias", entry.alias),
  ];
  return shown("chart.Dependency", fields, compat);
}

function fieldsOf(metadata: Metadata, compat: Compat): Field[] {
  return [
    plain("Name", metadata.name),
    plain("Home", metadata.home),
    plain("Sources", [...metadata.sources]),
    plain("Version", metadata.version),
    plain("Description", metadata.description),
    plain("Keywords", [...metadata.keywords]),
    plain(
      "Maintainers",
      metadata.maintainers.map((each) => maintainer(each, compat)),
    ),
    plain("Icon", metadata.icon),
    { name: "APIVersion", json: "apiVersion", value: metadata.apiVersion },
    plain("Condition", metadata.condition),
    plain("Tags", metadata.tags),
    plain("AppVersion", metadata.appVersion),
    plain("Deprecated", metadata.deprecated),
    plain("Annotations", metadata.annotations.size === 0 ? new NilMap() : new Map(metadata.annotations)),
    plain("KubeVersion", metadata.kubeVersion),
    plain(
      "Dependencies",
      metadata.dependencies.map((each) => dependency(each, compat)),
    ),
    plain("Type", metadata.type),
  ];
}

/** `.Chart` as templates see it. */
export function chartObject(node: ChartNode, compat: Compat): GoValue {
  const isRoot: Field = { name: "IsRoot", json: "IsRoot", value: node.isRoot, always: true };
  return shown("chart.Metadata", [...fieldsOf(metadataOf(node), compat), isRoot], compat);
}
