import { overlaps, parseNetwork } from "./cidr.ts";
import { labels, requiredRuntimeLabels } from "./names.ts";
import { filled, type Problem } from "./problem.ts";
import { type OidcConfig, providerTypes, type Runtime, type RuntimeShoot } from "./runtime.ts";
import { validateWorkers } from "./worker-validation.ts";

export interface ValidationOptions {
  /** Name of the Gardener project: with the Shoot's name it may have 21 characters. */
  readonly projectName?: string;
}

const purposes = ["evaluation", "testing", "development", "production"];
const failureTolerances = ["node", "zone"];
const nameLimit = 21;
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * Everything that would make Gardener or the conversion refuse a Runtime and that can be seen without asking anyone.
 *
 * The admission webhook, the controller and `kyma runtime validate` call this one function. An empty list means valid.
 */
export function validateRuntime(runtime: Runtime, options: ValidationOptions = {}): readonly Problem[] {
  return [
    ...validateLabels(runtime),
    ...validateShootName(runtime.spec.shoot.name, options.projectName),
    ...validateShoot(runtime),
    ...validateNetworking(runtime),
    ...validateWorkers(runtime.spec.shoot.provider),
    ...validateOidc(runtime),
    ...validateAdministrators(runtime),
  ];
}

/** What an update must leave as it is: Gardener could not follow, or would lose the cluster. */
export function validateRuntimeUpdate(old: Runtime, next: Runtime): readonly Problem[] {
  const before = old.spec.shoot;
  const after = next.spec.shoot;
  const fixed: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ...setOnce(
      `metadata.labels[${labels.runtimeId}]`,
      [old, next].map(({ metadata }) => metadata.labels?.[labels.runtimeId]),
    ),
    ...setOnce("spec.shoot.controlPlane.highAvailability.failureTolerance.type", [before, after].map(toleranceOf)),
    ["spec.shoot.name", before.name, after.name],
    ["spec.shoot.purpose", before.purpose, after.purpose],
    ["spec.shoot.region", before.region, after.region],
    ["spec.shoot.platformRegion", before.platformRegion, after.platformRegion],
    ["spec.shoot.provider.type", before.provider.type, after.provider.type],
    ["spec.shoot.networking.type", before.networking.type, after.networking.type],
    ["spec.shoot.networking.nodes", before.networking.nodes, after.networking.nodes],
    ["spec.shoot.networking.pods", before.networking.pods, after.networking.pods],
    ["spec.shoot.networking.services", before.networking.services, after.networking.services],
  ];
  return fixed
    .filter(([, was, is]) => was !== is)
    .map(([field, was, is]) => ({
      field,
      message: `cannot be changed from ${textOf(was)} to ${textOf(is)}`,
    }));
}

function textOf(value: string | undefined): string {
  return value === undefined ? "nothing" : `"${value}"`;
}

/** A field that may be set later on, and then stays. */
function setOnce(field: string, [was, is]: readonly (string | undefined)[]) {
  return was ? [[field, was, is] as const] : [];
}

function validateLabels({ metadata }: Runtime): readonly Problem[] {
  return requiredRuntimeLabels
    .filter((key) => !metadata.labels?.[key])
    .map((key) => ({ field: "metadata.labels", message: `missing required label ${key}` }));
}

function validateShootName(name: string, projectName = ""): readonly Problem[] {
  const field = "spec.shoot.name";
  const problems: Problem[] = [];
  if (!dnsLabel.test(name) || name.includes("--")) {
    problems.push({ field, message: `"${name}" must be a DNS label without two hyphens in a row` });
  }
  if (projectName.length + name.length > nameLimit) {
    const left = nameLimit - projectName.length;
    const message = `"${name}" is too long: the project "${projectName}" leaves ${left} of ${nameLimit} characters`;
    problems.push({ field, message });
  }
  return problems;
}

function validateShoot({ spec: { shoot } }: Runtime): readonly Problem[] {
  const tolerance = toleranceOf(shoot);
  return [
    ...oneOf("spec.shoot.provider.type", shoot.provider.type, providerTypes),
    ...oneOf("spec.shoot.purpose", shoot.purpose, purposes),
    ...(tolerance === undefined
      ? []
      : oneOf("spec.shoot.controlPlane.highAvailability.failureTolerance.type", tolerance, failureTolerances)),
    ...filled("spec.shoot.networking.type", shoot.networking.type),
    ...filled("spec.shoot.region", shoot.region),
    ...filled("spec.shoot.secretBindingName", shoot.secretBindingName),
  ];
}

function toleranceOf({ controlPlane }: RuntimeShoot): string | undefined {
  return controlPlane?.highAvailability?.failureTolerance.type;
}

function oneOf(field: string, value: string, allowed: readonly string[]): readonly Problem[] {
  return allowed.includes(value) ? [] : [{ field, message: `"${value}" is not one of ${allowed.join(", ")}` }];
}

function validateNetworking({ spec: { shoot } }: Runtime): readonly Problem[] {
  const { nodes, pods, services } = shoot.networking;
  const problems: Problem[] = [];
  const ranges = Object.entries({ nodes, pods, services }).flatMap(([name, text]) => {
    const range = parseNetwork(text);
    if (range !== undefined) return [{ name, range }];
    problems.push({
      field: `spec.shoot.networking.${name}`,
      message: `"${text}" is no IPv4 network address in CIDR notation`,
    });
    return [];
  });
  for (const [index, a] of ranges.entries()) {
    if (a.name === "nodes" && (a.range.prefix < 16 || a.range.prefix > 24)) {
      problems.push({ field: "spec.shoot.networking.nodes", message: "prefix length must be between 16 and 24" });
    }
    for (const b of ranges.slice(index + 1).filter((other) => overlaps(a.range, other.range))) {
      problems.push({ field: `spec.shoot.networking.${b.name}`, message: `overlaps spec.shoot.networking.${a.name}` });
    }
  }
  return problems;
}

function validateOidc({ spec: { shoot } }: Runtime): readonly Problem[] {
  const server = shoot.kubernetes?.kubeAPIServer;
  const path = "spec.shoot.kubernetes.kubeAPIServer";
  const additional = (server?.additionalOidcConfig ?? []).flatMap((entry, index) => {
    const field = `${path}.additionalOidcConfig[${index}]`;
    return [
      ...filled(`${field}.clientID`, entry.clientID),
      ...(entry.issuerURL ? validateIssuer(entry.issuerURL, field) : filled(`${field}.issuerURL`, entry.issuerURL)),
    ];
  });
  return [...(server?.oidcConfig ? validateOidcConfig(server.oidcConfig, `${path}.oidcConfig`) : []), ...additional];
}

function validateIssuer(url: string, path: string): readonly Problem[] {
  return url.startsWith("https://")
    ? []
    : [{ field: `${path}.issuerURL`, message: `"${url}" must be a URL with the scheme https` }];
}

function validateOidcConfig(config: OidcConfig, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  if ((config.clientID === undefined) !== (config.issuerURL === undefined)) {
    problems.push({ field: path, message: "needs both clientID and issuerURL, or neither" });
  }
  if (config.issuerURL !== undefined) problems.push(...validateIssuer(config.issuerURL, path));
  if (config.caBundle !== undefined && !config.caBundle.includes("-----BEGIN CERTIFICATE-----")) {
    problems.push({ field: `${path}.caBundle`, message: "is no PEM-encoded certificate" });
  }
  return problems;
}

function validateAdministrators({ spec: { security } }: Runtime): readonly Problem[] {
  return security.administrators.flatMap((name, index) =>
    name.trim() === "" ? [{ field: `spec.security.administrators[${index}]`, message: "must not be empty" }] : [],
  );
}
