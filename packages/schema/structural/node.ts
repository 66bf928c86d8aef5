import { countOf as countInRequest } from "../cel/sizes.ts";
import { isRecord, SchemaCompiler } from "../compile.ts";
import type { RawSchema } from "../types.ts";

/** Where a schema stands in its parent. */
export type Level = "root" | "property" | "additional" | "items";

/** One node of a structural schema on the way down. */
export interface Node {
  readonly raw: RawSchema;
  /** Kubernetes' path, for example `spec.validation.openAPIV3Schema.properties[spec].items`. */
  readonly path: string;
  readonly level: Level;
  readonly parent: Node | undefined;
  /** The path of the list whose items cannot be matched with old ones; undefined where they can. */
  readonly uncorrelated: string | undefined;
  /** How often the value may occur in one object; see `cel/cost.ts`. */
  readonly cardinality: number;
}

export function childNodes(node: Node): readonly Node[] {
  const { raw, path, uncorrelated, cardinality } = node;
  const { properties, additionalProperties, items } = raw;
  const common = { parent: node, uncorrelated, cardinality };
  const children: Node[] = [];
  if (isRecord(properties)) {
    for (const [name, child] of Object.entries(properties)) {
      if (isRecord(child))
        children.push({ ...common, raw: child, path: `${path}.properties[${name}]`, level: "property" });
    }
  }
  if (isRecord(additionalProperties)) {
    const many = cardinality * countOf(raw.maxProperties, additionalProperties);
    const child = { raw: additionalProperties, path: `${path}.additionalProperties`, level: "additional" as const };
    children.push({ ...common, ...child, cardinality: many });
  }
  if (isRecord(items)) children.push(itemsNode(node, items));
  return children;
}

function itemsNode(node: Node, items: RawSchema): Node {
  const { raw, path, cardinality } = node;
  const keyed = raw["x-kubernetes-list-type"] === "map";
  return {
    raw: items,
    path: `${path}.items`,
    level: "items",
    parent: node,
    uncorrelated: node.uncorrelated ?? (keyed ? undefined : path),
    cardinality: cardinality * countOf(raw.maxItems, items),
  };
}

/** How many of these fit into a list or map. */
function countOf(limit: unknown, item: RawSchema): number {
  return typeof limit === "number" ? limit : countInRequest(new SchemaCompiler().compile({ ...item, properties: {} }));
}
