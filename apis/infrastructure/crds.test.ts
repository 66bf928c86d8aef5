import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { load } from "js-yaml";
import ts from "typescript";
import { providerTypes, runtimeStates } from "./index.ts";

const crds = join(import.meta.dirname, "../../crds");

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
}

const kinds = [
  { file: "infrastructuremanager.kyma-project.io_runtimes.yaml", module: "runtime.ts", type: "Runtime" },
  {
    file: "infrastructuremanager.kyma-project.io_gardenerclusters.yaml",
    module: "gardener-cluster.ts",
    type: "GardenerCluster",
  },
  { file: "core.kyma-project.io_customconfigs.yaml", module: "custom-config.ts", type: "CustomConfig" },
];

function schemaOf(file: string): Schema {
  const crd = load(readFileSync(join(crds, file), "utf8")) as {
    spec: { versions: readonly [{ schema: { openAPIV3Schema: Schema } }] };
  };
  return crd.spec.versions[0].schema.openAPIV3Schema;
}

const program = ts.createProgram(
  kinds.map(({ module }) => join(import.meta.dirname, module)),
  {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
  },
);
const checker = program.getTypeChecker();

function typeOf(module: string, name: string): ts.Type {
  const source = program.getSourceFile(join(import.meta.dirname, module));
  const symbol = source && checker.getSymbolAtLocation(source);
  const found = symbol && checker.getExportsOfModule(symbol).find((each) => each.name === name);
  if (found === undefined) throw new Error(`${module} exports no ${name}`);
  return checker.getDeclaredTypeOfSymbol(found);
}

const isOptional = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Optional) !== 0;

/** The element of a list, the object itself otherwise; `undefined` of optional fields is dropped. */
function inner(type: ts.Type): ts.Type {
  const present = checker.getNonNullableType(type);
  return checker.isArrayType(present) ? (checker.getTypeArguments(present as ts.TypeReference)[0] ?? present) : present;
}

/** Paths of a type with `!` where a field is required; types with an index signature are opaque. */
function pathsOfType(type: ts.Type, path = ""): readonly string[] {
  const own = inner(type);
  if (own.isUnion() || checker.getIndexInfoOfType(own, ts.IndexKind.String)) return [];
  return own.getProperties().flatMap((symbol) => {
    const field = `${path}.${symbol.name}`;
    const mark = isOptional(symbol) ? field : `${field}!`;
    const declared = checker.getTypeOfSymbol(symbol);
    const isObject = (inner(declared).flags & ts.TypeFlags.Object) !== 0;
    return [mark, ...(isObject && field !== ".metadata" ? pathsOfType(declared, field) : [])];
  });
}

function pathsOfSchema(schema: Schema, known: ReadonlySet<string>, path = ""): readonly string[] {
  const own = schema.items ?? schema;
  return Object.entries(own.properties ?? {}).flatMap(([name, child]) => {
    const field = `${path}.${name}`;
    const mark = own.required?.includes(name) ? `${field}!` : field;
    // Below a field that the types leave opaque, the CRD alone knows the structure.
    const isTyped = [...known].some((each) => each.startsWith(`${field}.`));
    return [mark, ...(isTyped ? pathsOfSchema(child, known, field) : [])];
  });
}

const atTop = /^\.(apiVersion|kind|metadata|spec|status)!?$/;

describe("types and CRDs", () => {
  for (const { file, module, type } of kinds) {
    test(`${type} has the fields of its CRD, required where the CRD requires them`, () => {
      const typed = pathsOfType(typeOf(module, type)).filter((path) => !atTop.test(path));
      const known = new Set(typed.map((path) => path.replace("!", "")));
      const declared = pathsOfSchema(schemaOf(file), known).filter((path) => !atTop.test(path));
      deepEqual(typed.toSorted(), declared.toSorted());
    });
  }

  const enums = [
    { path: ["status", "state"], values: runtimeStates },
    { path: ["spec", "shoot", "provider", "type"], values: providerTypes },
  ];
  for (const { path, values } of enums) {
    test(`${path.join(".")} of a Runtime takes exactly the values of the CRD`, () => {
      const root = schemaOf("infrastructuremanager.kyma-project.io_runtimes.yaml");
      const leaf = path.reduce<Schema | undefined>((schema, name) => schema?.properties?.[name], root);
      deepEqual(leaf?.enum, [...values]);
    });
  }
});
