import type { ValuesFile } from "helm-ts-lite";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import type { ModuleList } from "./module-list.ts";
import { readBytes } from "./read-objects.ts";

/** The values of a module list, then those of files and addresses, in order. */
export async function readValuesFiles(
  io: Io,
  list: ModuleList | undefined,
  sources: readonly string[],
): Promise<readonly ValuesFile[]> {
  const files: ValuesFile[] = list === undefined ? [] : [{ name: "module list", text: JSON.stringify(valuesOf(list)) }];
  for (const name of sources) {
    if (!/\.(json|ya?ml)$/.test(name)) {
      throw new ExitCode(exitCodes.refused, `--values-file ${name}: expected a name that ends in .yaml, .yml or .json`);
    }
    files.push({ name, text: new TextDecoder().decode(await readBytes(io, name)) });
  }
  return files;
}

function valuesOf({ values = {}, modules }: ModuleList): Readonly<Record<string, unknown>> {
  const own = modules.flatMap(({ name, values: module }) => (module === undefined ? [] : [[name, module] as const]));
  return { ...values, ...Object.fromEntries(own) };
}
