import type { Func, Functions } from "../template/func.ts";
import type { Compat } from "../version.ts";
import { bounded } from "./bounds.ts";
import { builtinFunctions } from "./builtins.ts";
import { caseFunctions } from "./case.ts";
import { cryptoFunctions } from "./crypto.ts";
import { dateFunctions } from "./dates.ts";
import type { FuncTable } from "./define.ts";
import { dictFunctions } from "./dicts.ts";
import { encodingFunctions } from "./encoding.ts";
import { helmFunctions } from "./helm.ts";
import { listFunctions } from "./lists.ts";
import { logicFunctions } from "./logic.ts";
import { mathFunctions } from "./math.ts";
import { pathFunctions } from "./paths.ts";
import { randomFunctions } from "./random.ts";
import { regexFunctions } from "./regex.ts";
import { stringFunctions } from "./strings.ts";
import { tomlFunctions } from "./toml.ts";
import { versionFunctions } from "./versions.ts";

const tables: readonly FuncTable[] = [
  builtinFunctions,
  caseFunctions,
  dictFunctions,
  encodingFunctions,
  helmFunctions,
  listFunctions,
  logicFunctions,
  mathFunctions,
  regexFunctions,
  cryptoFunctions,
  dateFunctions,
  pathFunctions,
  randomFunctions,
  versionFunctions,
  tomlFunctions,
  stringFunctions,
];

const all: ReadonlyMap<string, Func> = new Map(
  tables.flatMap((table) => Object.entries(table).map(([name, func]) => [name, bounded(name, func)] as const)),
);

/** Functions that helm 3 does not have. */
const since4 = new Set(["mustToYaml"]);
const functions3: ReadonlyMap<string, Func> = new Map([...all].filter(([name]) => !since4.has(name)));

/** The functions of the template language: Go's, sprig's and Helm's own. */
export function functionsFor(compat: Compat): Functions {
  return compat === 3 ? functions3 : all;
}
