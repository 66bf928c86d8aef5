import type { AnyObject } from "@kyma-operators/kube";

/** What a test changes in the sample. */
export interface RuntimeSample {
  /** Ends the ids and names; one letter or digit. */
  readonly id?: string;
  readonly shoot?: Readonly<Record<string, unknown>>;
  readonly security?: Readonly<Record<string, unknown>>;
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
}

/** A Runtime on AWS that the simulated Gardener builds. */
export function runtimeObject({
  id = "1",
  shoot = {},
  security = {},
  annotations = {},
  labels = {},
}: RuntimeSample = {}): AnyObject {
  const name = `11111111-0000-4000-8000-00000000000${id}`;
  return {
    apiVersion: "infrastructuremanager.kyma-project.io/v1",
    kind: "Runtime",
    metadata: {
      name,
      namespace: "kcp-system",
      annotations,
      labels: {
        "kyma-project.io/instance-id": `instance-${id}`,
        "kyma-project.io/runtime-id": name,
        "kyma-project.io/region": "eu-central-1",
        "operator.kyma-project.io/kyma-name": name,
        "kyma-project.io/broker-plan-id": "plan-aws",
        "kyma-project.io/broker-plan-name": "aws",
        "kyma-project.io/global-account-id": "account",
        "kyma-project.io/subaccount-id": "subaccount",
        ...labels,
      },
    },
    spec: {
      shoot: {
        name: `c-${id}`,
        purpose: "production",
        platformRegion: "cf-eu10",
        region: "eu-central-1",
        secretBindingName: "aws-binding",
        networking: { type: "calico", nodes: "10.250.0.0/16", pods: "100.64.0.0/12", services: "100.104.0.0/13" },
        provider: {
          type: "aws",
          workers: [
            {
              name: "cpu-worker-0",
              machine: { type: "m6i.large", image: { name: "gardenlinux", version: "1592.9.0" } },
              minimum: 3,
              maximum: 20,
              zones: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
              volume: { type: "gp3", size: "80Gi" },
            },
          ],
        },
        ...shoot,
      },
      security: {
        administrators: ["admin@example.test"],
        networking: { filter: { egress: { enabled: false } } },
        ...security,
      },
    },
  };
}

const oidc = {
  clientID: "operators",
  groupsClaim: "groups",
  issuerURL: "https://operators.example.test",
  signingAlgs: ["RS256"],
  usernameClaim: "sub",
  usernamePrefix: "-",
};

/** The text of a converter configuration for the simulated Gardener's project. */
export function landscapeText(): string {
  return JSON.stringify({
    cluster: { defaultSharedIASTenant: { ...oidc, clientID: "users", issuerURL: "https://users.example.test" } },
    converter: {
      kubernetes: {
        defaultVersion: "1.31.9",
        enableKubernetesVersionAutoUpdate: true,
        enableMachineImageVersionAutoUpdate: true,
        defaultOperatorOidc: oidc,
      },
      dns: { secretName: "dns-credentials", domainPrefix: "dev.kyma.example.test", providerType: "aws-route53" },
      machineImage: { defaultName: "gardenlinux", defaultVersion: "1592.9.0" },
      gardener: { projectName: "kyma-dev" },
      auditLogging: { policyConfigMapName: "audit-policy", tenantConfigPath: "/nowhere" },
    },
  });
}

/** Audit-log tenants of the region of the sample. */
export function tenantsText(): string {
  const tenant = { tenantID: "tenant", serviceURL: "https://audit.example.test", secretName: "auditlog-eu-central-1" };
  return JSON.stringify({ aws: { "eu-central-1": tenant } });
}
