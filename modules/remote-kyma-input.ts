import { names } from "../apis/operator/names.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A catalog has a few dozen modules. */
const mostModules = 1_000;
const longestText = 253;
const policies: ReadonlySet<unknown> = new Set([undefined, "CreateAndDelete", "Ignore"]);

/**
 * What is wrong with an object that a remote cluster calls its Kyma; undefined when nothing is. Its API server checks
 * objects by the schema that we put there, but whoever owns the cluster owns that as well.
 */
export function remoteKymaProblem(found: unknown): string | undefined {
  const { kind, metadata, spec } = fieldsOf(found);
  const name = fieldsOf(metadata)["name"];
  if (kind !== "Kyma" || name !== names.remoteKyma) {
    return `expected a Kyma named ${names.remoteKyma}, found ${shown(kind)} named ${shown(name)}`;
  }
  if (!isFields(spec)) return `expected spec to be an object, found ${shown(spec)}`;
  const { channel, modules, skipMaintenanceWindows } = spec;
  if (!isText(channel)) return `expected spec.channel to be a text, found ${shown(channel)}`;
  if (!isOptional(skipMaintenanceWindows, "boolean")) {
    return `expected spec.skipMaintenanceWindows to be true or false, found ${shown(skipMaintenanceWindows)}`;
  }
  return modules === undefined ? undefined : modulesProblem(modules);
}

function modulesProblem(modules: unknown): string | undefined {
  if (!Array.isArray(modules)) return `expected spec.modules to be a list, found ${shown(modules)}`;
  if (modules.length > mostModules) return `expected at most ${mostModules} spec.modules, found ${modules.length}`;
  const seen = new Set<unknown>();
  for (const [index, module] of modules.entries()) {
    const problem = moduleProblem(module, `spec.modules[${index}]`);
    if (problem !== undefined) return problem;
    const { name } = fieldsOf(module);
    if (seen.has(name)) return `expected each module once in spec.modules, found ${shown(name)} twice`;
    seen.add(name);
  }
  return undefined;
}

function moduleProblem(module: unknown, path: string): string | undefined {
  const { name, channel, managed, customResourcePolicy } = fieldsOf(module);
  if (!isText(name)) return `expected ${path}.name to be a text, found ${shown(name)}`;
  if (channel !== undefined && !isText(channel)) {
    return `expected ${path}.channel to be a text, found ${shown(channel)}`;
  }
  if (!isOptional(managed, "boolean")) return `expected ${path}.managed to be true or false, found ${shown(managed)}`;
  if (policies.has(customResourcePolicy)) return undefined;
  return `expected ${path}.customResourcePolicy to be CreateAndDelete or Ignore, found ${shown(customResourcePolicy)}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= longestText;
}

function isOptional(value: unknown, type: "boolean"): boolean {
  return value === undefined || typeof value === type;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Short enough for a message, whatever it is. */
function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}
