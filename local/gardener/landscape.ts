import { projectNamespace, seedRegionLabel } from "@kyma-operators/gardener";
import { type AnyObject, timeText } from "@kyma-operators/kube";

interface Region {
  readonly name: string;
  readonly zones: readonly string[];
  /** May host clusters under EU access rules. */
  readonly isEu?: boolean;
  /** Default: there is one. */
  readonly hasSeed?: boolean;
}

interface Infrastructure {
  readonly type: string;
  readonly profile: string;
  readonly machineTypes: readonly string[];
  readonly volumeTypes: readonly string[];
  readonly regions: readonly Region[];
}

const letters = (region: string, count: number): readonly string[] =>
  ["a", "b", "c", "d", "e", "f"].slice(0, count).map((letter) => `${region}${letter}`);
const numbers = (count: number): readonly string[] => ["1", "2", "3", "4", "5", "6", "7", "8"].slice(0, count);

const infrastructures: readonly Infrastructure[] = [
  {
    type: "aws",
    profile: "aws",
    machineTypes: ["m5.xlarge", "m6i.large", "m6i.xlarge", "m6i.2xlarge", "m7i.large", "c7i.large", "g6.xlarge"],
    volumeTypes: ["gp2", "gp3"],
    regions: [
      { name: "eu-central-1", zones: letters("eu-central-1", 5), isEu: true },
      { name: "us-east-1", zones: letters("us-east-1", 4) },
      { name: "ap-southeast-1", zones: letters("ap-southeast-1", 3), hasSeed: false },
      { name: "ap-south-1", zones: letters("ap-south-1", 3), hasSeed: false },
    ],
  },
  {
    type: "azure",
    profile: "az",
    machineTypes: ["Standard_D2s_v5", "Standard_D4s_v5", "Standard_D8s_v5", "Standard_E4s_v5"],
    volumeTypes: ["Standard_LRS", "StandardSSD_LRS"],
    regions: [
      { name: "eastus", zones: numbers(3) },
      { name: "westeurope", zones: numbers(5), isEu: true },
      { name: "switzerlandnorth", zones: numbers(3), isEu: true },
      { name: "polandcentral", zones: numbers(3), isEu: true, hasSeed: false },
    ],
  },
  {
    type: "gcp",
    profile: "gcp",
    machineTypes: ["n2-standard-2", "n2-standard-4", "n2-standard-8"],
    volumeTypes: ["pd-standard", "pd-balanced"],
    regions: [
      { name: "us-central1", zones: letters("us-central1-", 3) },
      { name: "europe-west3", zones: letters("europe-west3-", 3), isEu: true },
      { name: "me-central2", zones: letters("me-central2-", 3) },
    ],
  },
  {
    type: "openstack",
    profile: "converged-cloud-kyma",
    machineTypes: ["g_c2_m8", "g_c4_m16"],
    volumeTypes: [],
    regions: [{ name: "eu-de-1", zones: ["eu-de-1a", "eu-de-1b", "eu-de-1d"], isEu: true }],
  },
  {
    type: "alicloud",
    profile: "alicloud",
    machineTypes: ["ecs.g9i.large", "ecs.g9i.xlarge"],
    volumeTypes: ["cloud_essd"],
    regions: [{ name: "eu-central-1", zones: ["eu-central-1a", "eu-central-1b", "eu-central-1c"] }],
  },
];

const kubernetesVersions = ["1.34.2", "1.33.6", "1.32.6", "1.31.11", "1.31.9", "1.31.5", "1.30.14"];
const imageVersions = ["1592.14.0", "1592.9.0", "1592.4.0"];
const garden = { apiVersion: "core.gardener.cloud/v1beta1" };
const restrictions = ({ isEu }: Region): readonly object[] => (isEu ? [{ name: "eu-access-only" }] : []);

function cloudProfile({ type, profile, machineTypes, volumeTypes, regions }: Infrastructure): AnyObject {
  return {
    ...garden,
    kind: "CloudProfile",
    metadata: { name: profile },
    spec: {
      type,
      kubernetes: { versions: kubernetesVersions.map((version) => ({ version, classification: "supported" })) },
      machineImages: [
        {
          name: "gardenlinux",
          updateStrategy: "minor",
          versions: imageVersions.map((version) => ({
            version,
            classification: "supported",
            architectures: ["amd64", "arm64"],
            cri: [{ name: "containerd" }],
          })),
        },
      ],
      machineTypes: machineTypes.map((name) => ({
        name,
        cpu: "4",
        memory: "16Gi",
        gpu: "0",
        architecture: "amd64",
        usable: true,
      })),
      volumeTypes: volumeTypes.map((name) => ({ name, class: "standard", usable: true })),
      regions: regions.map((region) => ({
        name: region.name,
        zones: region.zones.map((name) => ({ name })),
        accessRestrictions: restrictions(region),
      })),
    },
  };
}

function seed(type: string, region: Region, time: string): AnyObject {
  const condition = (name: string) => ({
    type: name,
    status: "True",
    reason: name,
    message: "All checks are successful.",
    lastTransitionTime: time,
    lastUpdateTime: time,
  });
  return {
    ...garden,
    kind: "Seed",
    metadata: {
      name: `${type}-${region.name}`,
      labels: { "seed.gardener.cloud/provider": type, [seedRegionLabel]: region.name },
    },
    spec: {
      backup: { provider: type, credentialsRef: secretRef("garden", "seed-backup") },
      dns: { provider: { type: "aws-route53", credentialsRef: secretRef("garden", "seed-dns") } },
      ingress: { domain: `ingress.${region.name}.seed.example.test`, controller: { kind: "nginx" } },
      networks: { nodes: "10.240.0.0/16", pods: "10.242.0.0/16", services: "10.243.0.0/17" },
      provider: { type, region: region.name, zones: region.zones.slice(0, 3) },
      settings: { scheduling: { visible: true } },
      accessRestrictions: restrictions(region),
    },
    status: {
      conditions: [condition("GardenletReady"), condition("BackupBucketsReady")],
      lastOperation: {
        type: "Reconcile",
        state: "Succeeded",
        progress: 100,
        description: "Seed cluster has been successfully reconciled.",
        lastUpdateTime: time,
      },
      observedGeneration: 1,
    },
  };
}

function secretRef(namespace: string, name: string): object {
  return { apiVersion: "v1", kind: "Secret", namespace, name };
}

function secret(namespace: string, name: string, labels: Record<string, string> = {}): AnyObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name, labels }, type: "Opaque", data: {} };
}

function bindings(namespace: string, type: string): readonly AnyObject[] {
  const account = `${type}-account`;
  const metadata = { namespace, name: `${type}-binding` };
  return [
    secret(namespace, account, { [`provider.shoot.gardener.cloud/${type}`]: "true" }),
    { ...garden, kind: "SecretBinding", metadata, provider: { type }, secretRef: { namespace, name: account } },
    {
      apiVersion: "security.gardener.cloud/v1alpha1",
      kind: "CredentialsBinding",
      metadata,
      provider: { type },
      credentialsRef: secretRef(namespace, account),
    },
  ];
}

/**
 * The objects around the Shoots of a project: the project itself, catalogues, Seeds, accounts, and what Shoots refer to.
 *
 * @param now - milliseconds since the epoch, for the Seeds' conditions.
 */
export function landscapeOf(project: string, now: number): readonly AnyObject[] {
  const namespace = projectNamespace(project);
  const owner = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "operator@example.test" };
  const auditLogs = infrastructures.flatMap(({ regions }) => regions.map(({ name }) => `auditlog-${name}`));
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace,
        labels: { "gardener.cloud/role": "project", "project.gardener.cloud/name": project },
      },
    },
    {
      ...garden,
      kind: "Project",
      metadata: { name: project },
      spec: { namespace, owner, members: [], tolerations: { whitelist: [{ key: "ksa-assured-workload" }] } },
      status: { phase: "Ready", observedGeneration: 1 },
    },
    {
      ...garden,
      kind: "ExposureClass",
      metadata: { name: "converged-cloud-internet" },
      handler: "converged-cloud-internet",
    },
    ...infrastructures.map(cloudProfile),
    ...infrastructures.flatMap(({ type, regions }) =>
      regions.filter(({ hasSeed }) => hasSeed !== false).map((region) => seed(type, region, timeText(now))),
    ),
    ...infrastructures.flatMap(({ type }) => bindings(namespace, type)),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name: "audit-policy" },
      data: { policy: "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n  - level: Metadata\n" },
    },
    secret(namespace, "dns-credentials"),
    ...[...new Set(auditLogs)].map((name) => secret(namespace, name)),
  ];
}
