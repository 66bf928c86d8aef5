import type { Call, Expr, Fold, FoldName } from "./ast.ts";

interface Shape {
  /** How many variables come first. */
  readonly variables: number;
  /** What the arguments after the variables are. */
  readonly rest: readonly ("filter" | "transform")[];
}

const one: Shape = { variables: 1, rest: ["filter"] };
const two: Shape = { variables: 2, rest: ["filter"] };

/** The macros of Kubernetes' environment, by name; the number of arguments chooses the shape. */
const shapes: Readonly<Record<string, readonly Shape[]>> = {
  all: [one, two],
  exists: [one, two],
  exists_one: [one, two],
  existsOne: [one, two],
  filter: [one],
  map: [
    { variables: 1, rest: ["transform"] },
    { variables: 1, rest: ["filter", "transform"] },
  ],
  transformList: [
    { variables: 2, rest: ["transform"] },
    { variables: 2, rest: ["filter", "transform"] },
  ],
  transformMap: [
    { variables: 2, rest: ["transform"] },
    { variables: 2, rest: ["filter", "transform"] },
  ],
  transformMapEntry: [
    { variables: 2, rest: ["transform"] },
    { variables: 2, rest: ["filter", "transform"] },
  ],
  optMap: [{ variables: 1, rest: ["transform"] }],
  optFlatMap: [{ variables: 1, rest: ["transform"] }],
};

export function isFoldName(name: string): boolean {
  return Object.hasOwn(shapes, name);
}

/** The fold that a member call stands for; undefined when no macro of that name takes so many arguments. */
export function expandFold(call: Call & { target: Expr }): Fold | { problem: string; at: number } | undefined {
  const shape = shapes[call.name]?.find(({ variables, rest }) => variables + rest.length === call.args.length);
  if (shape === undefined) return undefined;
  const names = call.args.slice(0, shape.variables);
  const stray = names.find((name) => name.kind !== "ident");
  if (stray !== undefined) return { problem: "argument must be a simple name", at: stray.at };
  const variables = names.map((name) => (name.kind === "ident" ? name.name : ""));
  const rest = Object.fromEntries(shape.rest.map((role, at) => [role, call.args[shape.variables + at]]));
  const name = (call.name === "existsOne" ? "exists_one" : call.name) as FoldName;
  return { kind: "fold", name, range: call.target, variables, at: call.at, ...rest };
}
