import type { RawSchema } from "@kyma-operators/schema";
import { rawSchemas } from "../facts/facts.ts";
import { isFields } from "../resources/kinds/edit.ts";
import type { ServedResource } from "../resources/resource.ts";

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const listMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
const referencePrefix = "#/components/schemas/";

/** The component schemas that these resources need, by name. */
export function componentsOf(resources: readonly ServedResource[]): Readonly<Record<string, RawSchema>> {
  const components: Record<string, RawSchema> = {};
  const pending = [objectMeta, listMeta];
  for (const resource of resources) {
    if (resource.custom === undefined) pending.push(...builtinNames(resource));
    else Object.assign(components, customSchemas(resource));
  }
  collect(components, pending);
  return components;
}

/** Components of a built-in kind and of its list. */
function builtinNames({ group, version, kind, listKind }: ServedResource): readonly string[] {
  const wanted = new Set([`${group}/${version}/${kind}`, `${group}/${version}/${listKind}`]);
  return Object.entries(rawSchemas())
    .filter(([, schema]) => kindsIn(schema).some((gvk) => wanted.has(`${gvk.group}/${gvk.version}/${gvk.kind}`)))
    .map(([name]) => name);
}

interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function kindsIn(schema: RawSchema): readonly Gvk[] {
  const kinds = schema["x-kubernetes-group-version-kind"];
  return Array.isArray(kinds) ? (kinds as readonly Gvk[]) : [];
}

/** Adds schemas and everything they refer to. */
function collect(components: Record<string, RawSchema>, names: string[]): void {
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const schema = rawSchemas()[name];
    if (schema === undefined || components[name] !== undefined) continue;
    components[name] = schema;
    names.push(...referencesIn(schema));
  }
}

function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isFields(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref.slice(referencePrefix.length)] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

/** Name of the component of a custom kind: the group backwards, version, kind. */
export function componentName({ group, version }: ServedResource, kind: string): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

function customSchemas(resource: ServedResource): Readonly<Record<string, RawSchema>> {
  const { group, version, kind, listKind, custom } = resource;
  const raw = custom?.rawSchema ?? {};
  const identity = { apiVersion: { type: "string" }, kind: { type: "string" } };
  const metadata = { allOf: [{ $ref: referencePrefix + objectMeta }] };
  const properties = isFields(raw.properties) ? raw.properties : {};
  const name = componentName(resource, kind);
  return {
    [name]: {
      ...raw,
      type: "object",
      properties: { ...properties, ...identity, metadata },
      "x-kubernetes-group-version-kind": [{ group, version, kind }],
    },
    [componentName(resource, listKind)]: {
      type: "object",
      required: ["items"],
      properties: {
        ...identity,
        items: { type: "array", items: { allOf: [{ $ref: referencePrefix + name }] } },
        metadata: { allOf: [{ $ref: referencePrefix + listMeta }] },
      },
      "x-kubernetes-group-version-kind": [{ group, version, kind: listKind }],
    },
  };
}
