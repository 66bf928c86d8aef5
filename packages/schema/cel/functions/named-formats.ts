import { hasFormat, isDate, isDateTime } from "../../formats.ts";
import { ListValue, none, OpaqueValue, OptionalValue } from "../values.ts";
import { declare } from "./registry.ts";

type Check = (text: string) => readonly string[];

class NamedFormat extends OpaqueValue {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  readonly check: Check;

  constructor(name: string, check: Check) {
    super();
    this.name = name;
    this.check = check;
  }

  toString(): string {
    return this.name;
  }
}

interface Rule {
  readonly limit: number;
  readonly pattern: string;
  readonly says: string;
  readonly examples: readonly string[];
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const dns1123Label: Rule = {
  limit: 63,
  pattern: label,
  says: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ["my-name", "123-abc"],
};
const dns1123Subdomain: Rule = {
  limit: 253,
  pattern: `${label}(\\.${label})*`,
  says: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ["example.com"],
};
const dns1035Label: Rule = {
  limit: 63,
  pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
  says: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ["my-name", "abc-123"],
};
const labelValue: Rule = {
  limit: 63,
  pattern: `(${qualified})?`,
  says: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyValue", "my_value", "12345"],
};
const namePart: Rule = {
  limit: 63,
  pattern: qualified,
  says: "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyName", "my.name", "123-abc"],
};

function problemsOf({ limit, pattern, says, examples }: Rule, text: string): readonly string[] {
  const problems: string[] = [];
  if (text.length > limit) problems.push(`must be no more than ${limit} characters`);
  if (new RegExp(`^(${pattern})$`).test(text)) return problems;
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return [...problems, `${says} (e.g. ${list}regex used for validation is '${pattern}')`];
}

const byRule =
  (rule: Rule): Check =>
  (text) =>
    problemsOf(rule, text);

/** A prefix may end in a dash, because something follows. */
const asPrefix =
  (rule: Rule): Check =>
  (text) =>
    problemsOf(rule, text.endsWith("-") ? `${text.slice(0, -1)}a` : text);

function qualifiedName(text: string): readonly string[] {
  const [first = "", second, ...rest] = text.split("/");
  if (rest.length > 0) {
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = second === undefined ? [] : prefixProblems(first);
  const name = second ?? first;
  return [...prefix, ...(name === "" ? ["name part must be non-empty"] : []), ...problemsOf(namePart, name)];
}

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return problemsOf(dns1123Subdomain, prefix).map((problem) => `prefix part ${problem}`);
}

const must =
  (isFine: (text: string) => boolean, problem: string): Check =>
  (text) =>
    isFine(text) ? [] : [problem];

const formats: Readonly<Record<string, Check>> = {
  dns1123Label: byRule(dns1123Label),
  dns1123Subdomain: byRule(dns1123Subdomain),
  dns1035Label: byRule(dns1035Label),
  dns1123LabelPrefix: asPrefix(dns1123Label),
  dns1123SubdomainPrefix: asPrefix(dns1123Subdomain),
  dns1035LabelPrefix: asPrefix(dns1035Label),
  qualifiedName,
  labelValue: byRule(labelValue),
  uri: must((text) => hasFormat("uri", text), "invalid URI"),
  uuid: must((text) => hasFormat("uuid", text), "does not match the UUID format"),
  byte: must((text) => hasFormat("byte", text), "invalid base64"),
  date: must(isDate, "invalid date"),
  datetime: must(isDateTime, "invalid datetime"),
};

function validate({ check }: NamedFormat, text: string): OptionalValue {
  const problems = check(text);
  return problems.length === 0 ? none : new OptionalValue(new ListValue(problems));
}

export const namedFormats = declare({
  ...Object.fromEntries(
    Object.entries(formats).map(([name, check]) => [`format.${name}(): Format`, () => new NamedFormat(name, check)]),
  ),
  "format.named(string): optional(Format)": (name: string) => {
    const check = Object.hasOwn(formats, name) ? formats[name] : undefined;
    return check === undefined ? none : new OptionalValue(new NamedFormat(name, check));
  },
  "Format.validate(string): optional(list(string))": validate,
});
