import { apiError } from "../api-error.ts";

const limit = 2n ** 63n;

/** An int64 of the query; `undefined` when it is not there. Throws 400 in the words of Go's `strconv`. */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const problem = integerProblem(text);
  if (problem === undefined) return Number(text);
  throw apiError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`);
}

function integerProblem(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return "invalid syntax";
  // Longer ones are not worth counting.
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length > 19) return "value out of range";
  const value = BigInt(`0${digits}`);
  return value > limit || (value === limit && !text.startsWith("-")) ? "value out of range" : undefined;
}
