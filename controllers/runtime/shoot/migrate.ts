import { isObject, objectAt, objectsAt, type Shoot, type ShootWorker } from "@kyma-operators/gardener";
import {
  labels,
  type Networking,
  type OidcConfig,
  type ProviderType,
  type Runtime,
  type RuntimeProvider,
  type Worker,
} from "../../../apis/infrastructure/index.ts";
import { type ShootDifference, shootDifferences } from "./differences.ts";
import { conversionErrors } from "./errors.ts";

/** Annotations that the Provisioner left on its Shoots. */
export const provisionerMarks = {
  runtimeId: "kcp.provisioner.kyma-project.io/runtime-id",
  licenceType: "kcp.provisioner.kyma-project.io/licence-type",
} as const;

export interface MigrationInput {
  readonly runtimeId: string;
  readonly shoot: Shoot;
  /** Labels of the GardenerCluster of that id. */
  readonly labels: Readonly<Record<string, string>>;
  /** User names that are administrators of the cluster. */
  readonly administrators: readonly string[];
  /** For clusters whose labels don't say. */
  readonly platformRegion?: string;
  /** The identity provider of a Shoot with structured authentication, read back from its ConfigMap. */
  readonly oidc?: OidcConfig;
}

const copiedLabels = [
  labels.planId,
  labels.planName,
  labels.runtimeId,
  labels.subaccountId,
  labels.globalAccountId,
  labels.instanceId,
  labels.region,
  labels.shootName,
  labels.kymaName,
];

/** Name of the main pool of clusters that the broker of today makes. */
const mainPool = "cpu-worker-0";

/**
 * The Runtime that stands for a Shoot which was made without one.
 *
 * The main pool is the one of the broker's name, else the first. Throws `CONVERSION_NO_SHOOT_WORKERS`,
 * `CONVERSION_MISSING_LABEL`.
 */
export function runtimeForShoot(input: MigrationInput): Runtime {
  const { shoot, runtimeId, administrators } = input;
  const { spec, metadata } = shoot;
  const licenceType = metadata.annotations?.[provisionerMarks.licenceType];
  return {
    apiVersion: "infrastructuremanager.kyma-project.io/v1",
    kind: "Runtime",
    metadata: { name: runtimeId, namespace: "kcp-system", labels: labelsOf(input) },
    spec: {
      shoot: {
        name: metadata.name ?? "",
        purpose: spec.purpose ?? "production",
        platformRegion: platformRegionOf(input),
        region: spec.region,
        ...(licenceType === undefined ? {} : { licenceType }),
        secretBindingName: bindingOf(shoot),
        ...(spec.seedSelector === undefined ? {} : { enforceSeedLocation: true }),
        kubernetes: kubernetesOf(input),
        networking: networkingOf(shoot),
        ...controlPlaneOf(shoot),
        provider: providerOf(shoot),
      },
      security: { administrators, networking: { filter: filterOf(shoot) } },
    },
  };
}

function platformRegionOf(input: MigrationInput): string {
  return input.labels[labels.platformRegion] ?? input.platformRegion ?? "";
}

function bindingOf({ spec }: Shoot): string {
  return spec.secretBindingName ?? spec.credentialsBindingName ?? "";
}

function networkingOf({ spec }: Shoot): Networking {
  const { type, nodes = "", pods = "", services = "" } = spec.networking ?? {};
  return { ...(type === undefined ? {} : { type }), nodes, pods, services };
}

function providerOf({ spec, metadata }: Shoot): RuntimeProvider {
  const workers = spec.provider.workers ?? [];
  const main = workers.find(({ name }) => name === mainPool) ?? workers[0];
  if (main === undefined) throw conversionErrors.NO_SHOOT_WORKERS({ shoot: metadata.name ?? "" });
  const more = workers.filter((worker) => worker !== main).map(poolOf);
  const type = spec.provider.type as ProviderType;
  return { type, workers: [poolOf(main)], ...(more.length > 0 ? { additionalWorkers: more } : {}) };
}

function labelsOf({ labels: known, runtimeId }: MigrationInput): Record<string, string> {
  const own = copiedLabels.map((key) => {
    const value = key === labels.runtimeId ? runtimeId : known[key];
    if (!value) throw conversionErrors.MISSING_LABEL({ label: key });
    return [key, value] as const;
  });
  return { ...Object.fromEntries(own), [labels.controlledByProvisioner]: "true", [labels.createdByMigrator]: "true" };
}

function kubernetesOf({ shoot, oidc }: MigrationInput) {
  const { caBundle: _, ...legacy } = objectAt(shoot.spec, "kubernetes", "kubeAPIServer", "oidcConfig");
  const found = oidc ?? (Object.keys(legacy).length > 0 ? legacy : undefined);
  return {
    version: shoot.spec.kubernetes.version,
    ...(found === undefined ? {} : { kubeAPIServer: { oidcConfig: found, additionalOidcConfig: [found] } }),
  };
}

function controlPlaneOf({ spec }: Shoot): Pick<Runtime["spec"]["shoot"], "controlPlane"> {
  const type = objectAt(spec.controlPlane, "highAvailability", "failureTolerance")["type"];
  return typeof type === "string" ? { controlPlane: { highAvailability: { failureTolerance: { type } } } } : {};
}

/** Fields of a pool that a Runtime of the broker has; everything else is Gardener's. */
const optionalPoolFields = ["maxSurge", "maxUnavailable", "volume", "zones"];

function poolOf(worker: ShootWorker): Worker {
  const { name, minimum, maximum, machine } = worker;
  const more = optionalPoolFields.filter((field) => valueOf(worker, field) !== undefined);
  return {
    name,
    minimum,
    maximum,
    machine,
    ...Object.fromEntries(more.map((field) => [field, valueOf(worker, field)])),
  };
}

function valueOf(worker: object, field: string): unknown {
  return new Map(Object.entries(worker)).get(field);
}

function filterOf({ spec }: Shoot) {
  const extension = spec.extensions?.find(({ type }) => type === "shoot-networking-filter");
  const isBlackholing = objectAt(extension?.providerConfig, "egressFilter")["blackholingEnabled"] === true;
  return {
    egress: { enabled: extension !== undefined && extension.disabled !== true },
    ingress: { enabled: isBlackholing },
  };
}

/** The identity provider in the ConfigMap of structured authentication, or undefined when none can be read. */
export function oidcFromStructuredConfig(document: unknown): OidcConfig | undefined {
  const [jwt] = isObject(document) ? objectsAt(document, "jwt") : [];
  const issuer = objectAt(jwt, "issuer");
  const [audience] = Array.isArray(issuer["audiences"]) ? (issuer["audiences"] as readonly unknown[]) : [];
  if (typeof issuer["url"] !== "string" || typeof audience !== "string") return undefined;
  const claim = (name: string) => objectAt(jwt, "claimMappings", name);
  const found = {
    clientID: audience,
    issuerURL: issuer["url"],
    usernameClaim: claim("username")["claim"],
    usernamePrefix: claim("username")["prefix"],
    groupsClaim: claim("groups")["claim"],
    groupsPrefix: claim("groups")["prefix"],
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === "string"));
}

/**
 * What taking a Shoot over would change in it. Annotations of ours, more labels, and the automatic updates that the
 * landscape sets are no change that anyone has to look at.
 */
export function unwantedDifferences(current: Shoot, wanted: Shoot): readonly ShootDifference[] {
  return shootDifferences(current, wanted).changes.filter(({ path, kind }) => {
    const isMark = path.startsWith("metadata.annotations") || (path.startsWith("metadata.labels") && kind === "added");
    return !isMark && !path.startsWith("spec.maintenance.autoUpdate");
  });
}

/** One line per difference, in the form of a diff. */
export function differenceText(differences: readonly ShootDifference[]): string {
  return differences
    .map(({ path, from, to }) => `- ${path}: ${JSON.stringify(from) ?? ""}\n+ ${path}: ${JSON.stringify(to) ?? ""}\n`)
    .join("");
}
