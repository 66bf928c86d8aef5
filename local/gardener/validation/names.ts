const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/** A syntax of names: the rule, and what Kubernetes says to whoever breaks it. */
export interface Syntax {
  readonly rule: RegExp;
  readonly text: string;
}

const regexNote = (examples: string, regex: string): string =>
  `(e.g. ${examples}, regex used for validation is '${regex}')`;

export const dnsLabel: Syntax = {
  rule: new RegExp(`^${label}$`),
  text:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
    `alphanumeric character ${regexNote("'my-name',  or '123-abc'", label)}`,
};

export const dnsSubdomain: Syntax = {
  rule: new RegExp(`^${subdomain}$`),
  text:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
    `with an alphanumeric character ${regexNote("'example.com'", subdomain)}`,
};

/** Keys of labels, annotations and taints; the part before a slash is a DNS subdomain. */
export const qualifiedName: Syntax = {
  rule: new RegExp(`^(${subdomain}/)?${qualified}$`),
  text:
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
    `character ${regexNote("'MyName',  or 'my.name',  or '123-abc'", qualified)}`,
};

export const labelValue: Syntax = {
  rule: new RegExp(`^(${qualified})?$`),
  text:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
    `with an alphanumeric character ${regexNote("'MyValue',  or 'my_value',  or '12345'", `(${qualified})?`)}`,
};
