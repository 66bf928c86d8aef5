/** Texts of `k8s.io/apimachinery/pkg/util/validation`; a check returns every problem with a value. */
export type NameCheck = (value: string) => readonly string[];

const dns1123LabelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const dns1123SubdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const dns1035LabelText =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const qualifiedNameText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const tooManyCharacters = (limit: number): string => `must be no more than ${limit} characters`;
const tooManyBytes = (limit: number): string => `must be no more than ${limit} bytes`;

interface Rule {
  readonly limit: number;
  readonly tooLong: (limit: number) => string;
  readonly pattern: RegExp;
  readonly text: string;
}

const rule =
  ({ limit, tooLong, pattern, text }: Rule): NameCheck =>
  (value) => [...(value.length > limit ? [tooLong(limit)] : []), ...(pattern.test(value) ? [] : [text])];

export const isDns1123Label: NameCheck = (value) =>
  value.includes(".") ? ["must not contain dots"] : dns1123Label(value);

/** A label whose dots get no text of their own. */
export const dns1123Label: NameCheck = rule({
  limit: 63,
  tooLong: tooManyCharacters,
  pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
  text: dns1123LabelText,
});

export const isDns1123Subdomain: NameCheck = rule({
  limit: 253,
  tooLong: tooManyCharacters,
  pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  text: dns1123SubdomainText,
});

export const isDns1035Label: NameCheck = rule({
  limit: 63,
  tooLong: tooManyCharacters,
  pattern: /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/,
  text: dns1035LabelText,
});

/** Names of RBAC objects: anything that can stand in a path. */
export const isPathSegment: NameCheck = (value) => {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
};

export const isLabelValue: NameCheck = rule({
  limit: 63,
  tooLong: tooManyBytes,
  pattern: /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  text: labelValueText,
});

const qualifiedPart = rule({
  limit: 63,
  tooLong: tooManyBytes,
  pattern: /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/,
  text: qualifiedNameText,
});

/** Keys of labels and annotations, finalizers: an optional DNS prefix and a name. */
export const isQualifiedName: NameCheck = (value) => {
  const parts = value.split("/");
  const name = parts.at(-1) ?? "";
  if (parts.length > 2) {
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = parts.length === 2 ? checkPrefix(parts[0] ?? "") : [];
  if (name === "") return [...prefix, "name part must be non-empty", qualifiedNameText];
  const own = qualifiedPart(name);
  return [...prefix, ...own.map((text) => (text.startsWith("must be") ? `name part ${text}` : text))];
};

function checkPrefix(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return isDns1123Subdomain(prefix).map((text) => `prefix part ${text}`);
}

/** The same check for `generateName`, which may end in a dash. */
export function asPrefix(checkName: NameCheck): NameCheck {
  return (value) => checkName(value.replace(/(?<=[^-])-+$/, "a"));
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The name made from a prefix: five random characters, cut so that it stays a label. */
export function generatedName(prefix: string, random: (limit: number) => number): string {
  const suffix = Array.from({ length: 5 }, () => alphabet[random(alphabet.length)]).join("");
  return `${prefix.slice(0, 63 - suffix.length)}${suffix}`;
}
