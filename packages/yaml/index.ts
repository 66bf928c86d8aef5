export type { YamlValue } from "./compose.ts";
export { type Position, yaml as yamlErrors } from "./errors.ts";
export { type FormatOptions, formatYaml, formatYamlDocuments } from "./format.ts";
export { locateYaml, type YamlPath } from "./locate.ts";
export { formatFloat32 } from "./numbers.ts";
export type { YamlLimits, YamlOptions } from "./options.ts";
export { outlineYaml } from "./outline.ts";
export { parseYaml, parseYamlDocuments } from "./read.ts";
