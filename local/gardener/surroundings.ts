import {
  cloudProfileResource,
  compareVersions,
  credentialsBindingResource,
  exposureClassResource,
  isAtLeast,
  type JsonObject,
  projectResource,
  type Shoot,
  secretBindingResource,
} from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client, type Clock, optional, type Resource } from "@kyma-operators/kube";
import { apiError, fieldProblem } from "../../apiserver/index.ts";
import { forbidden, type Surroundings, subjectOf } from "./admission.ts";
import { catalogueProblems, offeredVersions } from "./catalogue.ts";
import { completeVersion } from "./defaults.ts";
import { networkProblems } from "./networks.ts";
import { entriesAt, isEmpty, textAt, valueAt } from "./validation/json.ts";

const { secrets, configMaps } = builtIn;
const nameLimit = 21;

export interface SurroundingsOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** DNS domains in use, by `namespace/name` of their Shoot. */
  readonly domains: () => Iterable<readonly [string, string]>;
}

/** What Gardener's admission plugins check and add, as far as the manager meets it. */
export function shootSurroundings(options: SurroundingsOptions): Surroundings {
  return {
    admit: async (shoot, old, user) => {
      checkLifetime(shoot, old);
      await checkReferences(options.client, shoot, old);
      const next = completed(shoot, old, { profile: await profileOf(options.client, shoot), user });
      const profile = await profileOf(options.client, next);
      const problems = [
        ...catalogueProblems({ next, old, profile, now: options.clock.now() }),
        ...networkProblems(next, old),
        ...domainProblems(next, options.domains()),
        ...(await projectProblems(options.client, next, old)),
      ];
      if (problems.length > 0) throw forbidden(next, problems.join("; "));
      return next;
    },
  };
}

function checkLifetime(next: Shoot, old: Shoot | undefined): void {
  const name = next.metadata.name ?? "";
  const project = (next.metadata.namespace ?? "").replace(/^garden-/, "");
  if (old === undefined && project.length + name.length > nameLimit) {
    const detail = `the shoot name and the project name "${project}" together may have ${nameLimit} characters`;
    throw apiError.invalid(subjectOf(next), [fieldProblem("FieldValueInvalid", "metadata.name", detail, name)]);
  }
  checkRetiredFields(next);
  if (old === undefined) return;
  if (old.metadata.deletionTimestamp !== undefined && JSON.stringify(old.spec) !== JSON.stringify(next.spec)) {
    throw forbidden(next, "the spec can't change while the shoot is being deleted");
  }
  const { seedName } = old.spec;
  if (next.spec.seedName !== seedName) throw forbidden(next, "spec.seedName is set by the binding subresource only");
}

/** Fields that newer Kubernetes versions don't have any more. */
function checkRetiredFields(next: Shoot): void {
  const { version } = next.spec.kubernetes;
  const retired = [
    { field: "spec.secretBindingName", since: "1.34", isSet: next.spec.secretBindingName !== undefined },
    {
      field: "spec.cloudProfileName",
      since: "1.34",
      isSet: next.spec.cloudProfileName !== undefined && next.spec.cloudProfile === undefined,
    },
    {
      field: "spec.dns.providers",
      since: "1.35",
      isSet: (next.spec.dns?.providers ?? []).some((provider) => provider["secretName"] !== undefined),
    },
  ].filter(({ since, isSet }) => isSet && isAtLeast(version, since));
  if (retired.length === 0) return;
  const problems = retired.map(({ field, since }) =>
    fieldProblem("FieldValueForbidden", field, `is not supported for Kubernetes versions >= ${since}`),
  );
  throw apiError.invalid(subjectOf(next), problems);
}

interface Reference {
  readonly resource: Resource;
  readonly namespace?: string;
  readonly name: string;
}

function referencesOf({ metadata: { namespace = "" }, spec }: Shoot): readonly Reference[] {
  const server = spec.kubernetes.kubeAPIServer;
  const kinds: Readonly<Record<string, Resource>> = { Secret: secrets, ConfigMap: configMaps };
  const all: readonly (readonly [Resource, string | undefined])[] = [
    [secretBindingResource, spec.secretBindingName],
    [credentialsBindingResource, spec.credentialsBindingName],
    [exposureClassResource, spec.exposureClassName],
    [configMaps, server?.auditConfig?.auditPolicy.configMapRef.name],
    [configMaps, server?.structuredAuthentication?.configMapName],
    ...(spec.dns?.providers ?? []).map((provider) => [secrets, textAt(provider, "secretName")] as const),
    ...(spec.resources ?? []).map(({ resourceRef }) => [kinds[resourceRef.kind] ?? secrets, resourceRef.name] as const),
  ];
  return all.flatMap(([resource, name]) =>
    isEmpty(name) || name === undefined ? [] : [{ resource, name, ...(resource.namespaced ? { namespace } : {}) }],
  );
}

async function checkReferences(client: Client, next: Shoot, old: Shoot | undefined): Promise<void> {
  const known = new Set((old === undefined ? [] : referencesOf(old)).map((each) => JSON.stringify(each)));
  for (const reference of referencesOf(next).filter((each) => !known.has(JSON.stringify(each)))) {
    const { group, plural } = reference.resource;
    const found = await optional(client.get(reference));
    if (found === undefined) {
      throw forbidden(next, `${group === "" ? plural : `${plural}.${group}`} "${reference.name}" not found`);
    }
    const provider = textAt(found, "provider", "type");
    if (provider !== "" && provider !== next.spec.provider.type) {
      throw forbidden(
        next,
        `${plural} "${reference.name}" is for provider ${provider}, not ${next.spec.provider.type}`,
      );
    }
  }
}

async function profileOf(client: Client, next: Shoot): Promise<AnyObject> {
  const name = next.spec.cloudProfile?.name ?? next.spec.cloudProfileName ?? "";
  const profile = await optional(client.get({ resource: cloudProfileResource, name }));
  if (profile === undefined) throw forbidden(next, `cloudprofiles.core.gardener.cloud "${name}" not found`);
  return profile;
}

/** What the plugins add: complete versions, the profile as an object, labels, who created the Shoot. */
function completed(
  shoot: Shoot,
  old: Shoot | undefined,
  { profile, user }: { readonly profile: JsonObject; readonly user: string },
): Shoot {
  const { spec, metadata } = shoot;
  const offered = offeredVersions(valueAt(profile, "spec") as JsonObject);
  const version = completeVersion(spec.kubernetes.version, offered, (a, b) => compareVersions(a, b) ?? 0);
  const name = spec.cloudProfile?.name ?? spec.cloudProfileName ?? "";
  const marks = (spec.extensions ?? []).map(
    ({ type }) => [`extensions.extensions.gardener.cloud/${type}`, "true"] as const,
  );
  return {
    ...shoot,
    metadata: {
      ...metadata,
      labels: {
        "shoot.gardener.cloud/status": "healthy",
        ...metadata.labels,
        ...Object.fromEntries(marks),
        [`provider.extensions.gardener.cloud/${spec.provider.type}`]: "true",
      },
      annotations: { ...(old === undefined ? { "gardener.cloud/created-by": user } : {}), ...metadata.annotations },
    },
    spec: {
      ...spec,
      cloudProfile: spec.cloudProfile ?? { kind: "CloudProfile", name },
      kubernetes: { ...spec.kubernetes, version },
    },
  };
}

function domainProblems(next: Shoot, domains: Iterable<readonly [string, string]>): readonly string[] {
  const wanted = next.spec.dns?.domain;
  if (wanted === undefined) return [];
  const own = `${next.metadata.namespace ?? ""}/${next.metadata.name ?? ""}`;
  return [...domains]
    .filter(([key, domain]) => key !== own && (isBelow(wanted, domain) || isBelow(domain, wanted)))
    .map(([key]) => `spec.dns.domain: ${wanted} is used by ${key} or lies below its domain`);
}

function isBelow(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

/** New tolerations must be on the project's list. */
async function projectProblems(client: Client, next: Shoot, old: Shoot | undefined): Promise<readonly string[]> {
  const known = new Set((old?.spec.tolerations ?? []).map(({ key }) => key));
  const added = (next.spec.tolerations ?? []).filter(({ key }) => !known.has(key));
  if (added.length === 0) return [];
  const name = (next.metadata.namespace ?? "").replace(/^garden-/, "");
  const project = await optional(client.get({ resource: projectResource, name }));
  const whitelist = entriesAt(valueAt(project, "spec"), "tolerations", "whitelist");
  const allowed = new Set(whitelist.map(([, entry]) => entry["key"]));
  return added
    .filter(({ key }) => !allowed.has(key))
    .map(({ key }) => `spec.tolerations: ${key} is not on the list of project ${name}`);
}
