export { anything, SchemaCompiler } from "./compile.ts";
export { applyDefaults } from "./defaults.ts";
export { objectMeta, withObjectMeta } from "./object-meta.ts";
export { type Pruned, prune, unknownFields } from "./prune.ts";
export type { Definitions, Limits, RawSchema, Rule, Schema, SchemaType, Value } from "./types.ts";
