import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "@kyma-operators/yaml";
import { type Page, paragraphs, table } from "./page.ts";

const root = join(import.meta.dirname, "../..");
const folder = "docs/reference/crds";

/** The part of a structural schema that is shown. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly [limit: string]: unknown;
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly schema: { readonly openAPIV3Schema: Schema };
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly Version[];
  };
}

const limits = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
];
const escaped = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
const code = (value: unknown): string =>
  `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value)}\``;

interface Row {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** Every field below a schema, in the order of their paths; `[]` stands for the items of a list, `.*` for those of a map. */
function rowsBelow(path: string, schema: Schema): readonly Row[] {
  const { properties = {}, required = [], items, additionalProperties } = schema;
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const own = { path: path === "" ? name : `${path}.${name}`, schema: field, required: required.includes(name) };
    return [own, ...rowsBelow(own.path, field)];
  });
  const inItems = items === undefined ? [] : rowsBelow(`${path}[]`, items);
  const inMap = typeof additionalProperties === "object" ? rowsBelow(`${path}.*`, additionalProperties) : [];
  return [...fields, ...inItems, ...inMap];
}

function typeText({ type, items, additionalProperties, ...rest }: Schema): string {
  if (rest["x-kubernetes-int-or-string"] === true) return "integer or string";
  if (items !== undefined) return `list of ${typeText(items)}`;
  if (typeof additionalProperties === "object") return `map of ${typeText(additionalProperties)}`;
  return type ?? "any";
}

function rulesText({ required, schema }: Row): string {
  const inner = schema.items ?? schema;
  const validations = (schema["x-kubernetes-validations"] ?? []) as readonly {
    readonly rule: string;
    readonly message?: string;
  }[];
  return [
    ...(required ? ["required"] : []),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
    ...(inner.enum === undefined ? [] : [`one of ${inner.enum.map(code).join(", ")}`]),
    ...(inner.pattern === undefined ? [] : [`matches ${code(inner.pattern)}`]),
    ...(inner.format === undefined ? [] : [inner.format]),
    ...limits.filter((limit) => schema[limit] !== undefined).map((limit) => `${limit} ${String(schema[limit])}`),
    ...validations.map(({ rule, message }) => escaped(message ?? code(rule))),
  ].join("; ");
}

/** What every object has is not shown. */
const shownRows = ({ schema: { openAPIV3Schema } }: Version): readonly Row[] =>
  rowsBelow("", openAPIV3Schema).filter(({ path }) => !["apiVersion", "kind", "metadata"].includes(path));

const meaningOf = ({ schema: { description, items } }: Row): string => escaped(description ?? items?.description ?? "");

function versionText(version: Version): readonly string[] {
  const { name, storage, deprecated = false } = version;
  const notes = [...(storage ? ["stored"] : []), ...(deprecated ? ["deprecated"] : [])];
  return [
    `## ${name}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`,
    table(
      ["Field", "Type", "Rules", "Meaning"],
      shownRows(version).map((row) => [code(row.path), typeText(row.schema), rulesText(row), meaningOf(row)]),
    ),
  ];
}

interface Described {
  readonly page: Page;
  readonly kind: string;
  readonly group: string;
  readonly fieldsWithoutMeaning: readonly string[];
}

function pageOf(file: string): Described {
  const { spec } = parseYaml(readFileSync(join(root, "crds", file), "utf8"), { name: file }) as Definition;
  const { group, scope, names, versions } = spec;
  const served = versions.filter((version) => version.served);
  const shortNames = (names.shortNames ?? []).map(code);
  return {
    kind: names.kind,
    group,
    fieldsWithoutMeaning: served.flatMap((version) =>
      shownRows(version)
        .filter((row) => meaningOf(row) === "")
        .map(({ path }) => `${names.plural}.${group}/${version.name}: ${path}`),
    ),
    page: {
      path: `${folder}/${names.plural}.md`,
      text: () =>
        paragraphs(
          `# ${names.kind}`,
          `<!-- Generated by \`make docs\` from crds/${file}. -->`,
          `${code(`${names.plural}.${group}`)}, ${scope.toLowerCase()}${shortNames.length === 0 ? "" : `; short ${shortNames.join(", ")}`}. Served: ${served.map(({ name }) => code(name)).join(", ")}.`,
          // The version of today first.
          ...served.toSorted((a, b) => Number(b.storage) - Number(a.storage)).flatMap(versionText),
        ),
    },
  };
}

const definitions = [...readdirSync(join(root, "crds"))]
  .filter((name) => name !== "kustomization.yaml")
  .toSorted()
  .map(pageOf);

const list: Page = {
  path: `${folder}/README.md`,
  text: () =>
    paragraphs(
      "# Custom resources",
      "<!-- Generated by `make docs` from crds/. -->",
      table(
        ["Kind", "Group"],
        definitions.map(({ kind, group, page }) => [`[${kind}](${page.path.slice(folder.length + 1)})`, code(group)]),
      ),
      "States, conditions and their reasons: [States, conditions and reasons](../conditions.md).",
    ),
};

/** Fields of a served version that do not say what they mean, as `plural.group/version: path`. */
export const fieldsWithoutMeaning: readonly string[] = definitions.flatMap(({ fieldsWithoutMeaning: found }) => found);

/** One page per definition, and a list of them. */
export const crdPages: readonly Page[] = [list, ...definitions.map(({ page }) => page)];
