import { isIP } from "node:net";
import { fieldProblem } from "../../api-error.ts";
import { isDns1123Subdomain } from "../names.ts";
import { block, isInside } from "./addresses.ts";
import {
  all,
  type Check,
  fields,
  items,
  label,
  named,
  needs,
  oneOf,
  port,
  portOrName,
  selector,
  subdomain,
  unless,
} from "./checks.ts";
import { asText, type Fields, isFields } from "./edit.ts";

const exceptions: Check = (value, path, problems) => {
  const { cidr, except } = value as Fields;
  for (const [index, inner] of (Array.isArray(except) ? except : []).entries()) {
    if (isInside(inner, cidr)) continue;
    problems.push(
      fieldProblem("FieldValueInvalid", `${path}.except[${index}]`, "must be a strict subset of `cidr`", inner),
    );
  }
};

const ipBlock = all(needs(["cidr"]), fields({ cidr: block, except: items(block) }), exceptions);

/** One kind of peer at least, and addresses alone. */
const peer: Check = (value, path, problems) => {
  const kinds = Object.keys(isFields(value) ? value : {});
  if (kinds.length === 0) problems.push(fieldProblem("FieldValueRequired", path, "must specify a peer"));
  if (kinds.includes("ipBlock") && kinds.length > 1) {
    problems.push(fieldProblem("FieldValueForbidden", path, "may not specify both ipBlock and another peer"));
  }
  peerFields(value, path, problems);
};
const peerFields = fields({ podSelector: selector, namespaceSelector: selector, ipBlock });

const endPort: Check = (value, path, problems) => {
  const { port: first, endPort: last } = isFields(value) ? value : {};
  if (typeof last !== "number" || (typeof first === "number" && last >= first)) return;
  // Kubernetes shows the first port here.
  const [detail, shown] =
    first === undefined
      ? ["may not be specified when `port` is not specified", last]
      : typeof first === "string"
        ? ["may not be specified when `port` is non-numeric", last]
        : ["must be greater than or equal to `port`", first];
  problems.push(fieldProblem("FieldValueInvalid", `${path}.endPort`, detail, shown));
};

const ports = items(all(fields({ protocol: oneOf("TCP", "UDP", "SCTP"), port: portOrName }), endPort));

/** The spec of a NetworkPolicy. */
export const networkPolicy: Check = fields({
  podSelector: selector,
  ingress: items(fields({ ports, from: items(peer) })),
  egress: items(fields({ ports, to: items(peer) })),
  policyTypes: (value, path, problems) => {
    if (Array.isArray(value) && value.length > 2) {
      problems.push(fieldProblem("FieldValueInvalid", path, "may not specify more than two policyTypes", value));
    } else items(oneOf("Ingress", "Egress"))(value, path, problems);
  },
});

const wildcardText =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** A name of the DNS, or all below it. */
const host = named((name) => {
  if (!name.includes("*")) return isDns1123Subdomain(name);
  return name.startsWith("*.") && isDns1123Subdomain(name.slice(2)).length === 0 ? [] : [wildcardText];
});
const notAddress = unless((value) => isIP(asText(value)) === 0, "must be a DNS name, not an IP address");

const backendPort: Check = (value, path, problems) => {
  const { name = "", number = 0 } = isFields(value) ? value : {};
  if (name !== "" && number !== 0) {
    problems.push(fieldProblem("FieldValueInvalid", path, "cannot set both port name & port number", ""));
  } else if (name === "" && number === 0) {
    problems.push(fieldProblem("FieldValueRequired", path, "port name or number is required"));
  } else if (name === "") port(number, `${path}.service.port.number`, problems);
  else portOrName(name, `${path}.service.port.name`, problems);
};

const backend: Check = (value, path, problems) => {
  const { service, resource } = value as Fields;
  if (!isFields(service) && !isFields(resource)) {
    const detail = "resource or service backend is required";
    problems.push(fieldProblem("FieldValueInvalid", path, detail, ""));
  }
  if (!isFields(service)) return;
  if (asText(service.name) === "") problems.push(fieldProblem("FieldValueRequired", `${path}.service.name`, ""));
  label(service.name, `${path}.service.name`, problems);
  backendPort(service.port, path, problems);
};

const oddParts = ["//", "/./", "/../", "%2f", "%2F"];
const oddEnds = ["/..", "/."];

const pathText = (text: string): string | undefined => {
  if (!text.startsWith("/")) return "must be an absolute path";
  const part = oddParts.find((odd) => text.includes(odd));
  if (part !== undefined) return `must not contain '${part}'`;
  const end = oddEnds.find((odd) => text.endsWith(odd));
  return end === undefined ? undefined : `cannot end with '${end}'`;
};

/** A path that says how it is to be matched. */
const path: Check = (value, at, problems) => {
  const { path: text = "", pathType, backend: target } = value as Fields;
  const isOpen = (pathType ?? "") === "";
  if (isOpen) {
    problems.push(fieldProblem("FieldValueRequired", `${at}.pathType`, "pathType must be specified"));
  } else oneOf("Exact", "ImplementationSpecific", "Prefix")(pathType, `${at}.pathType`, problems);
  const isFree = isOpen || (pathType === "ImplementationSpecific" && text === "");
  const detail = isFree ? undefined : pathText(asText(text));
  if (detail !== undefined) problems.push(fieldProblem("FieldValueInvalid", `${at}.path`, detail, text));
  backend(isFields(target) ? target : {}, `${at}.backend`, problems);
};

/** The spec of an Ingress. */
export const ingress: Check = fields({
  tls: items(fields({ hosts: items(host) })),
  defaultBackend: backend,
  rules: items(fields({ host: all(notAddress, host), http: all(needs(["paths"]), fields({ paths: items(path) })) })),
  ingressClassName: subdomain,
});
