import { isBuiltin } from "node:module";

const statement = /^import (?:([\w$]+),? )?(?:\* as ([\w$]+) |\{([^}]*)\} )?from "([^"]+)";$/gm;

/**
 * Takes modules of Node as the objects they are. An import statement would first read all of their properties, many of
 * which load more of Node when they are read: a tenth of a short command's time. Lines stay where they are.
 *
 * @param code - a chunk as esbuild writes it. Not an entry: an old Node, which has no getBuiltinModule, must still be
 *   able to run that to its error.
 */
export function withLazyBuiltins(code: string): string {
  return code.replace(statement, (line, ...[whole, all, names, module = ""]: (string | undefined)[]) => {
    if (!isBuiltin(module) || names?.includes("default as ") === true) return line;
    const object = `globalThis.process.getBuiltinModule(${JSON.stringify(module)})`;
    const wholes = [whole, all].filter((name) => name !== undefined);
    const named = names === undefined ? [] : [`{${names.replaceAll(" as ", ": ")}}`];
    return `const ${[...wholes, ...named].map((target) => `${target} = ${object}`).join(", ")};`;
  });
}
