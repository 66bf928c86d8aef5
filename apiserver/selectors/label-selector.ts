import { apiError } from "../api-error.ts";

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
const keyPattern = /^(?:[a-zA-Z0-9](?:[-a-zA-Z0-9.]*[a-zA-Z0-9])?\/)?[a-zA-Z0-9](?:[-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/;
const valuePattern = /^(?:[a-zA-Z0-9](?:[-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)?$/;

/** Parses `labelSelector` of the query: equality (`a=b,c!=d`), sets (`a in (b,c)`), existence (`a,!b`). Throws 400. */
export function parseLabelSelector(text: string): LabelSelector {
  const reader = new TokenReader(tokenize(text));
  const requirements: Requirement[] = [];
  while (reader.peek() !== undefined) {
    requirements.push(parseRequirement(reader));
    if (reader.peek() === undefined) break;
    const next = reader.next() ?? "";
    if (next !== ",") throw apiError.badRequest(`found '${next}', expected: ',' or 'end of string'`);
    if (reader.peek() === undefined) throw apiError.badRequest("found '', expected: identifier after ','");
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
  if (!/^-?\d+$/.test(text)) throw refuse(`for 'Gt', 'Lt' operators, the value must be an integer`);
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
  if (parse === undefined) throw refuse(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  return parse(key, reader);
}

const operators = new Map<string, (key: string, reader: TokenReader) => Requirement>(
  Object.entries({
    "=": (key: string, reader: TokenReader) => isIn(key, [parseValue(reader)]),
    "==": (key: string, reader: TokenReader) => isIn(key, [parseValue(reader)]),
    "!=": (key: string, reader: TokenReader) => not(isIn(key, [parseValue(reader)])),
    ">": (key: string, reader: TokenReader) => compare(key, ">", parseValue(reader)),
    "<": (key: string, reader: TokenReader) => compare(key, "<", parseValue(reader)),
    in: (key: string, reader: TokenReader) => isIn(key, parseValues(reader)),
    notin: (key: string, reader: TokenReader) => not(isIn(key, parseValues(reader))),
  }),
);

function parseKey(reader: TokenReader): string {
  const key = reader.next();
  if (key === undefined || !keyPattern.test(key)) {
    throw refuse(
      `key: Invalid value: ${JSON.stringify(key ?? "")}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
    );
  }
  return key;
}

function parseValue(reader: TokenReader): string {
  const value = reader.peek();
  if (value === undefined || value === ",") return "";
  reader.next();
  if (!valuePattern.test(value)) {
    throw refuse(
      `values[0][key]: Invalid value: ${JSON.stringify(value)}: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
    );
  }
  return value;
}

function parseValues(reader: TokenReader): readonly string[] {
  reader.expect("(");
  const values: string[] = [];
  while (reader.peek() !== ")") {
    if (reader.peek() === undefined) throw refuse("found '', expected: ',' or ')'");
    values.push(parseValue(reader));
    if (reader.peek() === ",") reader.next();
  }
  reader.next();
  return values;
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

  expect(token: string): void {
    const found = this.next();
    if (found !== token) throw refuse(`found '${found ?? ""}', expected: '${token}'`);
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
