import { deepCopy, deepEqual } from "../go/compare.ts";
import { type GoValue, isGoObject, isTrue, kindName, typeName } from "../go/values.ts";
import { UserError } from "../template/errors.ts";
import { type FuncTable, func, variadic } from "./define.ts";

/** sprig's emptiness: as truth, but a struct is never empty. */
export function isEmpty(value: GoValue): boolean {
  return isGoObject(value) && value.goKind === "struct" ? false : !isTrue(value);
}

function defaultTo(fallback: GoValue, given: readonly GoValue[]): GoValue {
  const [value] = given;
  return given.length === 0 || isEmpty(value) ? fallback : value;
}

function typeIsLike(wanted: string, value: GoValue): boolean {
  const actual = typeName(value);
  return wanted === actual || `*${wanted}` === actual;
}

export const logicFunctions: FuncTable = {
  default: variadic(["any"], "any", defaultTo),
  empty: func(["any"], isEmpty),
  coalesce: variadic([], "any", (values) => values.find((value) => !isEmpty(value)) ?? null),
  all: variadic([], "any", (values) => !values.some(isEmpty)),
  any: variadic([], "any", (values) => values.some((value) => !isEmpty(value))),
  ternary: func(["any", "any", "bool"], (yes, no, condition) => (condition ? yes : no)),
  fail: func(["string"], (message) => {
    throw new UserError(message);
  }),
  required: func(["string", "any"], (message, value) => {
    if (value === null || value === undefined || value === "") throw new UserError(message);
    return value;
  }),
  deepEqual: func(["any", "any"], deepEqual),
  deepCopy: func(["any"], deepCopy),
  mustDeepCopy: func(["any"], deepCopy),
  typeOf: func(["any"], typeName),
  kindOf: func(["any"], kindName),
  typeIs: func(["string", "any"], (wanted, value) => wanted === typeName(value)),
  kindIs: func(["string", "any"], (wanted, value) => wanted === kindName(value)),
  typeIsLike: func(["string", "any"], typeIsLike),
};
