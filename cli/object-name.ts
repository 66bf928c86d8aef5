import { InvalidArgumentError } from "commander";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${label}(\\.${label})*$`);
/** Namespaces are labels of DNS; names of Kymas are values of labels, too. */
const longest = 63;
const longestSubdomain = 253;

/** Parses the name of a namespace. Throws `InvalidArgumentError`, so that a slip ends before anything is written. */
export function namespaceName(text: string): string {
  if (labelPattern.test(text) && text.length <= longest) return text;
  throw new InvalidArgumentError(`expected at most ${longest} lower-case letters, digits and dashes.`);
}

/** Parses the name of a Kyma. Throws `InvalidArgumentError`. */
export function kymaName(text: string): string {
  if (subdomainPattern.test(text) && text.length <= longest) return text;
  throw new InvalidArgumentError(`expected at most ${longest} lower-case letters, digits, dashes and dots.`);
}

/** Parses the address of an API server. Throws `InvalidArgumentError`. */
export function serverAddress(text: string): string {
  if (URL.parse(text)?.protocol === "https:") return text;
  throw new InvalidArgumentError("expected an address such as https://kubernetes.default.svc.");
}

/** Parses the name of an object such as a Secret, or of a domain. Throws `InvalidArgumentError`. */
export function subdomainName(text: string): string {
  if (subdomainPattern.test(text) && text.length <= longestSubdomain) return text;
  throw new InvalidArgumentError("expected lower-case letters, digits, dashes and dots, for example a.example.org.");
}
