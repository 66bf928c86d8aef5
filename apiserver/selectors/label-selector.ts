import { apiError } from "../api-error.ts";
import { isLabelValue, isQualifiedName } from "../resources/names.ts";

/** Whether an object with these labels is selected. */
export type LabelSelector = (labels: Readonly<Record<string, string>> | undefined) => boolean;

/** `metav1.LabelSelector` as it stands in objects. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

const tokens = /\s*(?:(==|!=|=|!|,|\(|\)|<|>)|([^\s=!,()<>]+))/y;
const operatorNames = "in, notin, =, ==, !=, gt, lt";

/** Parses `labelSelector` of the query: equality (`a=b,c!=d`), sets (`a in (b,c)`), existence (`a,!b`). Throws 400. */
export function parseLabelSelector(text: string): LabelSelector {
  const reader = new TokenReader(tokenize(text));
  const requirements: Requirement[] = [];
  while (reader.peek() !== undefined) {
    if (!reader.isWord() && reader.peek() !== "!") {
      throw apiError.badRequest(`found '${reader.peek()}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(reader));
    if (reader.peek() === undefined) break;
    const next = reader.next() ?? "";
    if (next !== ",") throw apiError.badRequest(`found '${next}', expected: ',' or 'end of string'`);
    if (!reader.isWord() && reader.peek() !== "!") {
      throw apiError.badRequest(`found '${reader.peek() ?? ""}', expected: identifier after ','`);
    }
  }
  return matchAll(requirements);
}

/** The selector of a Deployment, Service, NetworkPolicy …; an empty one selects everything. */
export function compileLabelSelector(selector: LabelSelectorObject | undefined): LabelSelector {
  const equal = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => isIn(key, [value]));
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) =>
    operatorFor(operator, key, values),
  );
  return matchAll([...equal, ...expressions]);
}

function matchAll(requirements: readonly Requirement[]): LabelSelector {
  return (labels = {}) => requirements.every((requirement) => requirement(labels));
}

function operatorFor(operator: string, key: string, values: readonly string[]): Requirement {
  switch (operator) {
    case "In":
      return isIn(key, values);
    case "NotIn":
      return not(isIn(key, values));
    case "Exists":
      return exists(key);
    case "DoesNotExist":
      return not(exists(key));
    default:
      return () => false;
  }
}

const exists =
  (key: string): Requirement =>
  (labels) =>
    Object.hasOwn(labels, key);
const isIn =
  (key: string, values: readonly string[]): Requirement =>
  (labels) =>
    Object.hasOwn(labels, key) && values.includes(labels[key] as string);
const not =
  (requirement: Requirement): Requirement =>
  (labels) =>
    !requirement(labels);

function compare(key: string, operator: string, text: string): Requirement {
  if (!/^-?\d+$/.test(text)) {
    throw refuse(
      `values[0]: Invalid value: ${JSON.stringify(text)}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
  const limit = BigInt(text);
  return (labels) => {
    const value = labels[key];
    if (value === undefined || !/^-?\d+$/.test(value)) return false;
    return operator === ">" ? BigInt(value) > limit : BigInt(value) < limit;
  };
}

function parseRequirement(reader: TokenReader): Requirement {
  if (reader.peek() === "!") {
    reader.next();
    return not(exists(parseKey(reader)));
  }
  const key = parseKey(reader);
  const operator = reader.peek();
  if (operator === undefined || operator === ",") return exists(key);
  reader.next();
  const parse = operators.get(operator);
  if (parse === undefined) throw refuse(`found '${operator}', expected: ${operatorNames}`);
  return parse(key, reader);
}

const operators = new Map<string, (key: string, reader: TokenReader) => Requirement>(
  Object.entries({
    "=": (key: string, reader: TokenReader) => isIn(key, [parseValue(key, reader)]),
    "==": (key: string, reader: TokenReader) => isIn(key, [parseValue(key, reader)]),
    "!=": (key: string, reader: TokenReader) => not(isIn(key, [parseValue(key, reader)])),
    ">": (key: string, reader: TokenReader) => compare(key, ">", parseExact(reader)),
    "<": (key: string, reader: TokenReader) => compare(key, "<", parseExact(reader)),
    in: (key: string, reader: TokenReader) => isIn(key, parseValues(key, reader)),
    notin: (key: string, reader: TokenReader) => not(isIn(key, parseValues(key, reader))),
  }),
);

function parseKey(reader: TokenReader): string {
  if (!reader.isWord()) throw refuse(`found '${reader.peek() ?? ""}', expected: identifier`);
  const key = reader.next() ?? "";
  const problems = isQualifiedName(key);
  if (problems.length > 0) throw refuse(invalid("<nil>", key, problems));
  return key;
}

/** Throws 400 for a text that can't be the value of a label. */
function checkValue(key: string, value: string, index = 0): string {
  const problems = isLabelValue(value);
  if (problems.length > 0) throw refuse(invalid(`values[${index}][${key}]`, value, problems));
  return value;
}

function invalid(path: string, value: string, problems: readonly string[]): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${problems.join("; ")}`;
}

const parseValue = (key: string, reader: TokenReader): string => checkValue(key, parseExact(reader));

/** The text after an operator; there may be none. */
function parseExact(reader: TokenReader): string {
  const value = reader.peek();
  if (value === undefined || value === ",") return "";
  if (!reader.isWord()) throw refuse(`found '${value}', expected: identifier`);
  reader.next();
  return value;
}

function parseValues(key: string, reader: TokenReader): readonly string[] {
  if (reader.peek() !== "(") throw refuse(`found '${reader.peek() ?? ""}' expected: '('`);
  reader.next();
  const values = parseList(reader);
  return values.map((value, index) => checkValue(key, value, index));
}

/** The values up to the closing parenthesis; one that is left out is empty. */
function parseList(reader: TokenReader): readonly string[] {
  const values = [parseItem(reader)];
  for (let next = reader.next(); next !== ")"; next = reader.next()) {
    if (next !== ",") throw refuse(`found '${next ?? ""}', expected: ',' or ')'`);
    values.push(parseItem(reader));
  }
  return values;
}

function parseItem(reader: TokenReader): string {
  const found = reader.peek() ?? "";
  if (reader.isWord()) return reader.next() ?? "";
  if (found === "," || found === ")") return "";
  throw refuse(`found '${found}', expected: ',', ')' or identifier`);
}

class TokenReader {
  readonly #tokens: readonly string[];
  #index = 0;

  constructor(list: readonly string[]) {
    this.#tokens = list;
  }

  peek(): string | undefined {
    return this.#tokens[this.#index];
  }

  next(): string | undefined {
    this.#index += 1;
    return this.#tokens[this.#index - 1];
  }

  /** Whether the next token is neither a sign nor the end. */
  isWord(): boolean {
    return /^[^=!,()<>]/.test(this.peek() ?? "");
  }
}

function tokenize(text: string): readonly string[] {
  const list: string[] = [];
  const pattern = new RegExp(tokens);
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text);
    if (match === null) throw refuse(`unexpected character in ${JSON.stringify(text)}`);
    list.push(match[1] ?? match[2] ?? "");
  }
  return list;
}

function refuse(problem: string): Error {
  return apiError.badRequest(`unable to parse requirement: ${problem}`);
}
