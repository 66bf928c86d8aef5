import { apiError } from "../api-error.ts";
import { goKind, isRecord } from "./body.ts";
import { jsonProblem } from "./json-problem.ts";

/** Where a chunked list goes on: after this name, in the state of that revision. */
export interface Continuation {
  readonly revision: number;
  readonly after: readonly [namespace: string, name: string];
}

/** What a token holds, as JSON in base64url: version, revision and the key after which to start. */
interface Fields {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

const version = "meta.k8s.io/v1";

/** The token of a `continue` parameter. */
export function formatContinuation({ revision, after }: Continuation): string {
  const fields: Fields = { v: version, rv: revision, start: after.join("\u0000") };
  return Buffer.from(JSON.stringify(fields)).toString("base64url");
}

/** Reads the token of a `continue` parameter. Throws 400 in the words of Kubernetes. */
export function parseContinuation(token: string): Continuation {
  const { v, rv, start } = fieldsOf(jsonOf(token));
  if (v !== version) throw badToken(`server does not recognize this encoded version ${v}`);
  if (rv < 1) throw badToken(`incorrect encoded start resourceVersion (version ${version})`);
  if (start === "") throw badToken(`encoded start key empty (version ${version})`);
  const [namespace = "", name] = start.split("\u0000");
  if (name === undefined) throw badToken(start);
  return { revision: rv, after: [namespace, name] };
}

function jsonOf(token: string): unknown {
  const strange = token.search(/[^\w-]/);
  if (strange >= 0 || token.length % 4 === 1) {
    throw badToken(`illegal base64 data at input byte ${strange >= 0 ? strange : token.length - 1}`);
  }
  const text = Buffer.from(token, "base64url").toString();
  const problem = jsonProblem(text);
  if (problem !== undefined) throw badToken(problem);
  return JSON.parse(text);
}

const absent: Fields = { v: "", rv: 0, start: "" };
const goTypes: ReadonlyMap<string, "string" | "int64"> = new Map([
  ["v", "string"],
  ["rv", "int64"],
  ["start", "string"],
]);

/** As Go reads it: `null` is the same as absent, and the first field of a wrong type is told. */
function fieldsOf(value: unknown): Fields {
  if (value === null) return absent;
  if (!isRecord(value)) throw unreadable(`${goKind(value)} into Go value of type storage.continueToken`);
  const known = Object.entries(value).filter(([name, found]) => goTypes.has(name) && found !== null);
  for (const [name, found] of known) refuseType(name, found);
  return { ...absent, ...Object.fromEntries(known) };
}

function refuseType(name: string, found: unknown): void {
  const type = goTypes.get(name);
  if (type === "int64" ? Number.isSafeInteger(found) : typeof found === type) return;
  const what = type === "int64" && typeof found === "number" ? `number ${found}` : goKind(found);
  throw unreadable(`${what} into Go struct field continueToken.${name} of type ${type}`);
}

const unreadable = (problem: string): Error => badToken(`json: cannot unmarshal ${problem}`);

function badToken(problem: string): Error {
  return apiError.badRequest(`invalid continue token: continue key is not valid: ${problem}`);
}
