import { isAtLeast, type JsonObject, objectAt } from "@kyma-operators/gardener";
import { isEmpty, listAt, textAt, valueAt } from "./json.ts";
import type { Problems } from "./problems.ts";

const algorithms = ["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512", "none"];
const server = "spec.kubernetes.kubeAPIServer";

/** Version, API server and proxy settings. */
export function validateKubernetes(spec: unknown, problems: Problems): void {
  const kubernetes = objectAt(spec, "kubernetes");
  if (isEmpty(kubernetes["version"]))
    problems.required("spec.kubernetes.version", "kubernetes version must not be empty");
  if (kubernetes["enableStaticTokenKubeconfig"] === true) {
    problems.invalid(
      "spec.kubernetes.enableStaticTokenKubeconfig",
      true,
      "setting this field to true is not supported",
    );
  }
  problems.oneOf("spec.kubernetes.kubeProxy.mode", valueAt(kubernetes, "kubeProxy", "mode"), ["IPTables", "IPVS"]);
  const policy = ["kubeAPIServer", "auditConfig", "auditPolicy", "configMapRef"];
  if (valueAt(kubernetes, ...policy) !== undefined && textAt(kubernetes, ...policy, "name") === "") {
    problems.required(`${server}.auditConfig.auditPolicy.configMapRef.name`, "must provide a name");
  }
  validateAuthentication(kubernetes, problems);
}

function validateAuthentication(kubernetes: JsonObject, problems: Problems): void {
  if (valueAt(kubernetes, "kubeAPIServer", "oidcConfig") === undefined) return;
  const field = `${server}.oidcConfig`;
  const oidc = objectAt(kubernetes, "kubeAPIServer", "oidcConfig");
  if (isAtLeast(textAt(kubernetes, "version"), "1.32")) {
    const detail = "for Kubernetes versions >= 1.32, oidcConfig field is no longer supported";
    problems.invalid(field, oidc, detail);
  }
  if (valueAt(kubernetes, "kubeAPIServer", "structuredAuthentication") !== undefined) {
    problems.forbidden(field, "is incompatible with structuredAuthentication");
  }
  validateClient(oidc, field, problems);
  validateIssuer(oidc, field, problems);
  validateClaims(oidc, field, problems);
}

function validateClient({ clientID, issuerURL }: JsonObject, field: string, problems: Problems): void {
  if (clientID === "") problems.invalid(`${field}.clientID`, clientID, "clientID cannot be empty when key is provided");
  if (isEmpty(clientID) && !isEmpty(issuerURL)) {
    problems.invalid(`${field}.clientID`, clientID ?? null, "clientID must be set when issuerURL is provided");
  }
  if (isEmpty(issuerURL) && !isEmpty(clientID)) {
    problems.invalid(`${field}.issuerURL`, issuerURL ?? null, "issuerURL must be set when clientID is provided");
  }
}

function validateIssuer(oidc: JsonObject, field: string, problems: Problems): void {
  const issuerURL = oidc["issuerURL"];
  if (typeof issuerURL === "string" && issuerURL !== "") validateUrl(issuerURL, `${field}.issuerURL`, problems);
  if (oidc["caBundle"] !== undefined && !textAt(oidc, "caBundle").includes("-----BEGIN CERTIFICATE-----")) {
    problems.invalid(`${field}.caBundle`, "", "caBundle is not a valid PEM-encoded certificate");
  }
}

function validateUrl(text: string, field: string, problems: Problems): void {
  const url = URL.parse(text);
  if (url === null) problems.invalid(field, text, "must be a valid URL");
  else if (url.protocol !== "https:") problems.invalid(field, text, "must have https scheme");
  else if (url.search !== "") problems.invalid(field, text, "must not contain a query");
}

function validateClaims(oidc: JsonObject, field: string, problems: Problems): void {
  for (const [index, algorithm] of listAt(oidc, "signingAlgs").entries()) {
    problems.oneOf(`${field}.signingAlgs[${index}]`, algorithm, algorithms);
  }
  for (const key of ["groupsClaim", "groupsPrefix", "usernameClaim", "usernamePrefix"]) {
    if (oidc[key] === "") problems.invalid(`${field}.${key}`, "", `${key} cannot be empty when key is provided`);
  }
}
