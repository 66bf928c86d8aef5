import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { objectAt, objectsAt, type Shoot, type ShootWorker } from "@kyma-operators/gardener";
import type { Runtime, Worker } from "../../../apis/infrastructure/index.ts";
import { landscapeText, runtimeObject } from "../../../testing/index.ts";
import {
  type AuditLogTenant,
  convertToPatch,
  convertToShoot,
  type LandscapeConfig,
  parseLandscapeConfig,
} from "./index.ts";

const config = parseLandscapeConfig(landscapeText(), "converter_config.json");
const auditLog: AuditLogTenant = { tenantID: "t", serviceURL: "https://a.example.test", secretName: "audit" };
const maintenanceWindow = { begin: "010000+0000", end: "020000+0000" };
const base = runtimeObject() as unknown as Runtime;
const [main] = base.spec.shoot.provider.workers as readonly [Worker];

function runtimeWith(shoot: Record<string, unknown> = {}, security: Record<string, unknown> = {}): Runtime {
  const runtime = runtimeObject({ shoot, security }) as unknown as Runtime;
  runtime.metadata.generation = 7;
  return runtime;
}

function configWith(converter: Record<string, unknown>): LandscapeConfig {
  const whole = JSON.parse(landscapeText()) as { converter: object };
  return parseLandscapeConfig(JSON.stringify({ ...whole, converter: { ...whole.converter, ...converter } }), "c");
}

const create = (shoot: Record<string, unknown> = {}, security: Record<string, unknown> = {}): Shoot =>
  convertToShoot({ runtime: runtimeWith(shoot, security), config, auditLog });
const poolsWith = (edit: Partial<Worker>, ...more: readonly Worker[]) => ({
  provider: { type: "aws", workers: [{ ...main, ...edit }], additionalWorkers: more },
});
const patch = (shoot: Shoot, change: Record<string, unknown> = {}): Shoot =>
  convertToPatch({ runtime: runtimeWith(change), config, auditLog, shoot });
const zonesOf = ({ spec }: Shoot) => objectsAt(objectAt(spec.provider.infrastructureConfig, "networks"), "zones");
const typesOf = ({ spec }: Shoot): readonly string[] => (spec.extensions ?? []).map(({ type }) => type);
const filter = (egress: boolean, ingress?: boolean) => ({
  networking: {
    filter: { egress: { enabled: egress }, ...(ingress === undefined ? {} : { ingress: { enabled: ingress } }) },
  },
});

describe("whole Shoots", () => {
  test("C1, E15: five extensions in their order with an audit log", () => {
    deepEqual(typesOf(create()), [
      "shoot-networking-filter",
      "shoot-cert-service",
      "shoot-dns-service",
      "shoot-oidc-service",
      "shoot-auditlog-service",
    ]);
  });

  test("C2: four without", () => {
    const shoot = convertToShoot({ runtime: runtimeWith(), config });
    equal(typesOf(shoot).length, 4);
    equal(shoot.spec.resources, undefined);
    equal(shoot.spec.kubernetes.kubeAPIServer?.auditConfig, undefined);
  });

  test("C3, E24: versions default", () => {
    const shoot = create({ ...poolsWith({ machine: { type: "m" } }) });
    equal(shoot.spec.kubernetes.version, "1.31.9");
    deepEqual(shoot.spec.provider.workers?.[0]?.machine.image, { name: "gardenlinux", version: "1592.9.0" });
  });

  test("C4: a newer Shoot keeps its versions, its order of zones and its DNS", () => {
    const shoot = create();
    const [worker] = shoot.spec.provider.workers as readonly [ShootWorker];
    const newer: Shoot = {
      ...shoot,
      spec: {
        ...shoot.spec,
        kubernetes: { ...shoot.spec.kubernetes, version: "1.32.1" },
        provider: {
          ...shoot.spec.provider,
          workers: [
            {
              ...worker,
              zones: [...(worker.zones ?? [])].reverse(),
              machine: { type: "m", image: { name: "gardenlinux", version: "1600.0.0" } },
            },
          ],
        },
      },
    };
    const { spec } = patch(newer);
    equal(spec.kubernetes.version, "1.32.1");
    equal(spec.provider.workers?.[0]?.machine.image?.version, "1600.0.0");
    deepEqual(spec.provider.workers[0]?.zones, ["eu-central-1c", "eu-central-1b", "eu-central-1a"]);
    equal(spec.dns, undefined);
  });

  test("C5: an older Shoot gets the Runtime's versions", () => {
    const { spec } = patch(create({ kubernetes: { version: "1.30.1" } }), { kubernetes: { version: "1.31.5" } });
    equal(spec.kubernetes.version, "1.31.5");
  });

  const windows: readonly (readonly [string, string, typeof maintenanceWindow | undefined, unknown])[] = [
    ["C6: production with a window has it", "production", maintenanceWindow, maintenanceWindow],
    ["C7: another purpose has none", "evaluation", maintenanceWindow, undefined],
    ["C7: production without a window has none", "production", undefined, undefined],
  ];
  for (const [name, purpose, window, expected] of windows) {
    test(name, () => {
      const shoot = convertToShoot({
        runtime: runtimeWith({ purpose }),
        config,
        ...(window === undefined ? {} : { maintenanceWindow: window }),
      });
      deepEqual(shoot.spec.maintenance?.timeWindow, expected);
    });
  }

  test("the Runtime is left as it was", () => {
    const runtime = runtimeWith(poolsWith({ machine: { type: "m" } }));
    const before = JSON.stringify(runtime);
    convertToShoot({ runtime, config, auditLog });
    equal(JSON.stringify(runtime), before);
  });
});

describe("single rules", () => {
  test("E1, E2: marks say whose the Shoot is", () => {
    const { metadata } = create({ licenceType: "SAPDEV" });
    deepEqual(metadata.annotations, {
      "infrastructuremanager.kyma-project.io/runtime-id": base.metadata.name,
      "infrastructuremanager.kyma-project.io/runtime-generation": "7",
      "infrastructuremanager.kyma-project.io/licence-type": "SAPDEV",
    });
    deepEqual(metadata.labels, { account: "account", subaccount: "subaccount" });
  });

  test("E3: only an enforced location selects seeds", () => {
    deepEqual(create({ enforceSeedLocation: true }).spec.seedSelector, {
      matchLabels: { "seed.gardener.cloud/region": "eu-central-1" },
    });
    equal(create({ enforceSeedLocation: false }).spec.seedSelector, undefined);
    equal(create().spec.seedSelector, undefined);
  });

  const providers = [
    { type: "aws", profile: "aws", exposure: undefined },
    { type: "azure", profile: "az", exposure: undefined },
    { type: "gcp", profile: "gcp", exposure: undefined },
    { type: "openstack", profile: "converged-cloud-kyma", exposure: "converged-cloud-internet" },
    { type: "alicloud", profile: "alicloud", exposure: undefined },
  ];
  for (const { type, profile, exposure } of providers) {
    test(`E4, E5: ${type} has its cloud profile and exposure class`, () => {
      const { spec } = create({ provider: { type, workers: [{ ...main, zones: ["1"] }] } });
      equal(spec.cloudProfileName, profile);
      equal(spec.exposureClassName, exposure);
    });
  }

  test("E4, P4: another provider is refused", () => {
    throws(() => create({ provider: { type: "ibm", workers: [main] } }), { code: "GARDENER_PROVIDER_NOT_SUPPORTED" });
  });

  test("E6: platform regions under EU rules are restricted", () => {
    for (const platformRegion of ["cf-eu11", "cf-ch20"]) {
      deepEqual(
        create({ platformRegion }).spec.accessRestrictions?.map(({ name }) => name),
        ["eu-access-only"],
      );
    }
    equal(create({ platformRegion: "cf-us10" }).spec.accessRestrictions, undefined);
  });

  test("E7: assured workloads are tolerated in their region, and only at creation", () => {
    deepEqual(create({ region: "me-central2" }).spec.tolerations, [{ key: "ksa-assured-workload" }]);
    equal(create({ region: "eu-de-1" }).spec.tolerations, undefined);
    equal(patch(create({ region: "me-central2" }), { region: "me-central2" }).spec.tolerations, undefined);
  });

  test("E8, E9: the identity provider stands in the Shoot or in a ConfigMap, never in both", () => {
    const oidcConfig = { clientID: "c", issuerURL: "https://i.example.test", clientAuthentication: { secret: "s" } };
    const runtime = runtimeWith({ kubernetes: { kubeAPIServer: { oidcConfig } } });
    deepEqual(convertToShoot({ runtime, config }).spec.kubernetes.kubeAPIServer, {
      oidcConfig: { clientID: "c", issuerURL: "https://i.example.test" },
    });
    deepEqual(convertToShoot({ runtime, config, structuredAuthentication: true }).spec.kubernetes.kubeAPIServer, {
      structuredAuthentication: { configMapName: "structured-auth-config-c-1" },
    });
  });

  test("E12, E13: an external domain is in the Shoot and in its extension; Gardener's own is in neither", () => {
    const domain = "c-1.dev.kyma.example.test";
    const external = create();
    equal(external.spec.dns?.domain, domain);
    deepEqual(external.spec.dns.providers, [
      { domains: { include: [domain] }, primary: true, secretName: "dns-credentials", type: "aws-route53" },
    ]);
    const own = convertToShoot({ runtime: runtimeWith(), config: configWith({ dns: {} }) });
    equal(own.spec.dns, undefined);
    deepEqual(own.spec.extensions?.find(({ type }) => type === "shoot-dns-service")?.providerConfig, {
      apiVersion: "service.dns.extensions.gardener.cloud/v1alpha1",
      kind: "DNSConfig",
      syncProvidersFromShootSpecDNS: true,
    });
  });

  const filters: readonly (readonly [boolean, boolean | undefined, boolean, boolean])[] = [
    [true, true, false, true],
    [false, false, true, false],
    [false, true, true, false],
    [true, undefined, false, false],
  ];
  for (const [egress, ingress, disabled, blackholing] of filters) {
    test(`E14: egress ${egress}, ingress ${ingress}: disabled ${disabled}, blackholing ${blackholing}`, () => {
      const [extension] = create({}, filter(egress, ingress)).spec.extensions ?? [];
      equal(extension?.disabled, disabled);
      equal(extension?.providerConfig !== undefined, blackholing);
    });
  }

  test("E16, E18, E19, E21: a patch keeps foreign extensions and the order, and changes only what is ours", () => {
    const shoot = create();
    const extensions = [...(shoot.spec.extensions ?? []), { type: "foreign", providerConfig: { a: 1 } }];
    const withForeign: Shoot = { ...shoot, spec: { ...shoot.spec, extensions } };
    deepEqual(patch(withForeign).spec.extensions, extensions);

    const changed = convertToPatch({
      runtime: runtimeWith({}, filter(true)),
      config,
      auditLog: { ...auditLog, tenantID: "u" },
      shoot: withForeign,
    });
    deepEqual(typesOf(changed), typesOf(withForeign));
    equal(changed.spec.extensions?.[0]?.disabled, false);
    equal(changed.spec.extensions[4]?.providerConfig?.["tenantID"], "u");

    const without = convertToPatch({ runtime: runtimeWith(), config, shoot: withForeign });
    deepEqual(without.spec.extensions, extensions, "no tenant leaves the audit log that is there");
    const missing: Shoot = { ...shoot, spec: { ...shoot.spec, extensions: [] } };
    deepEqual(typesOf(patch(missing)), ["shoot-auditlog-service", "shoot-networking-filter"]);
  });

  test("E17, E20, E22: a registry cache comes when it is asked for, and is switched off afterwards", () => {
    const caches = [{ upstream: "docker.io", garbageCollection: { ttl: "72h" }, http: { tls: true } }];
    const withCache = (enabled: boolean): Runtime => {
      const runtime = runtimeWith();
      return { ...runtime, spec: { ...runtime.spec, imageRegistryCache: { enabled } } };
    };
    const convert = (enabled: boolean, shoot: Shoot, list = caches): Shoot =>
      convertToPatch({ runtime: withCache(enabled), config, auditLog, shoot, caches: list });
    equal(typesOf(convert(false, create())).includes("registry-cache"), false);
    equal(typesOf(convert(true, create(), [])).includes("registry-cache"), false);

    const on = convert(true, create());
    deepEqual(on.spec.extensions?.at(-1), {
      type: "registry-cache",
      disabled: false,
      providerConfig: {
        apiVersion: "registry.extensions.gardener.cloud/v1alpha3",
        kind: "RegistryConfig",
        caches: [{ upstream: "docker.io", garbageCollection: { ttl: "72h" } }],
      },
    });
    const off = convert(false, on).spec.extensions?.at(-1);
    deepEqual([off?.disabled, off?.providerConfig], [true, on.spec.extensions.at(-1)?.providerConfig]);
  });

  test("E23: certificates are issued by the Shoot's own issuers", () => {
    deepEqual(create().spec.extensions?.[1]?.providerConfig, {
      apiVersion: "service.cert.extensions.gardener.cloud/v1alpha1",
      kind: "CertConfig",
      shootIssuers: { enabled: true },
    });
  });

  test("E26: each automatic update follows its own switch", () => {
    const kubernetes = {
      ...(JSON.parse(landscapeText()) as { converter: { kubernetes: object } }).converter.kubernetes,
    };
    const only = (key: string): unknown => {
      const off = { enableKubernetesVersionAutoUpdate: false, enableMachineImageVersionAutoUpdate: false };
      const own = configWith({ kubernetes: { ...kubernetes, ...off, [key]: true } });
      return convertToShoot({ runtime: runtimeWith(), config: own }).spec.maintenance?.autoUpdate;
    };
    deepEqual(only("enableKubernetesVersionAutoUpdate"), { kubernetesVersion: true, machineImageVersion: false });
    deepEqual(only("enableMachineImageVersionAutoUpdate"), { kubernetesVersion: false, machineImageVersion: true });
  });

  test("E29: the audit policy is named with and without a kubeAPIServer of the Runtime", () => {
    const policyOf = ({ spec }: Shoot): unknown => spec.kubernetes.kubeAPIServer?.auditConfig?.auditPolicy;
    const expected = { configMapRef: { name: "audit-policy" } };
    deepEqual(policyOf(create()), expected);
    deepEqual(policyOf(create({ kubernetes: { kubeAPIServer: {} } })), expected);
  });

  test("E27, E28: the audit credentials replace their own entry and no other", () => {
    const shoot = create();
    const foreign = { name: "other", resourceRef: { apiVersion: "v1", kind: "Secret", name: "x" } };
    const both: Shoot = { ...shoot, spec: { ...shoot.spec, resources: [...(shoot.spec.resources ?? []), foreign] } };
    const { spec } = convertToPatch({
      runtime: runtimeWith(),
      config,
      auditLog: { ...auditLog, secretName: "new" },
      shoot: both,
    });
    deepEqual(
      spec.resources?.map(({ resourceRef }) => resourceRef.name),
      ["new", "x"],
    );
    equal(spec.kubernetes.kubeAPIServer?.auditConfig?.auditPolicy.configMapRef.name, "audit-policy");
  });

  test("Kubernetes 1.34 and 1.35 get references instead of names", () => {
    const { spec } = create({ kubernetes: { version: "1.35.0" } });
    deepEqual([spec.secretBindingName, spec.cloudProfileName], [undefined, undefined]);
    deepEqual([spec.credentialsBindingName, spec.cloudProfile], ["aws-binding", { kind: "CloudProfile", name: "aws" }]);
    ok(
      spec.dns?.providers?.every(
        (provider) => provider["secretName"] === undefined && provider["credentialsRef"] !== undefined,
      ),
    );
  });

  test("a landscape may have namespaced cloud profiles", () => {
    const gardener = {
      projectName: "kyma-dev",
      cloudProfiles: { aws: { kind: "NamespacedCloudProfile", name: "own" } },
    };
    const { spec } = convertToShoot({ runtime: runtimeWith(), config: configWith({ gardener }) });
    deepEqual([spec.cloudProfile, spec.cloudProfileName], [{ kind: "NamespacedCloudProfile", name: "own" }, undefined]);
  });
});

describe("pools", () => {
  const options = { instanceMetadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 2 } };

  test("P1: SSH is off", () => {
    deepEqual(create().spec.provider.workersSettings, { sshAccess: { enabled: false } });
  });

  test("P2: on AWS every pool is closed to pods, unless the landscape or the Runtime says otherwise", () => {
    const meta = { apiVersion: "aws.provider.extensions.gardener.cloud/v1alpha1", kind: "WorkerConfig" };
    const shoot = create(
      poolsWith(
        {},
        {
          ...main,
          name: "more",
          providerConfig: { nodeTemplate: 1, instanceMetadataOptions: { httpPutResponseHopLimit: 5 } },
        },
      ),
    );
    deepEqual(
      shoot.spec.provider.workers?.map(({ providerConfig }) => providerConfig),
      [
        { ...meta, ...options },
        { ...meta, nodeTemplate: 1, instanceMetadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 5 } },
      ],
    );
    const open = configWith({ provider: { aws: { enableIMDSv2: false } } });
    equal(
      convertToShoot({ runtime: runtimeWith(), config: open }).spec.provider.workers?.[0]?.providerConfig,
      undefined,
    );
  });

  test("P3, P5: pools keep their order, zones are counted once", () => {
    const shoot = create(
      poolsWith({ zones: ["b"] }, { ...main, name: "x", zones: ["a", "b"] }, { ...main, name: "y", zones: ["c"] }),
    );
    deepEqual(
      shoot.spec.provider.workers?.map(({ name }) => name),
      ["cpu-worker-0", "x", "y"],
    );
    const zones = zonesOf(shoot);
    deepEqual(
      zones.map((zone) => zone["name"]),
      ["b", "a", "c"],
    );
  });

  const images: readonly (readonly [string, object | undefined, object, string])[] = [
    ["the Shoot's newer version of the same image", { name: "g", version: "1" }, { name: "g", version: "2" }, "g 2"],
    ["the Runtime's newer version", { name: "g", version: "3" }, { name: "g", version: "2" }, "g 3"],
    ["the default that is newer", undefined, { name: "gardenlinux", version: "1.0" }, "gardenlinux 1592.9.0"],
    ["another image as wanted", { name: "h", version: "1" }, { name: "g", version: "2" }, "h 1"],
    ["the Runtime's over a Shoot image without a version", { name: "g", version: "1" }, { name: "g" }, "g 1"],
  ];
  for (const [name, wanted, running, result] of images) {
    test(`P6: takes ${name}`, () => {
      const shoot = create();
      const [worker] = shoot.spec.provider.workers as readonly [ShootWorker];
      const workers = [{ ...worker, machine: { type: "m", image: running } }] as unknown as readonly ShootWorker[];
      const current: Shoot = { ...shoot, spec: { ...shoot.spec, provider: { ...shoot.spec.provider, workers } } };
      const image = patch(
        current,
        poolsWith({ machine: { type: "m", ...(wanted === undefined ? {} : { image: wanted }) } as Worker["machine"] }),
      ).spec.provider.workers?.[0]?.machine.image;
      equal(`${image?.name} ${image?.version}`, result);
    });
  }

  const zones: readonly (readonly [string, readonly string[], readonly string[], readonly string[]])[] = [
    [
      "P7: a moved pool has the old zone first",
      ["eu-central-1a"],
      ["eu-central-1b"],
      ["eu-central-1a", "eu-central-1b"],
    ],
    [
      "P10: a pool grows behind what it has",
      ["eu-central-1b"],
      ["eu-central-1a", "eu-central-1b"],
      ["eu-central-1b", "eu-central-1a"],
    ],
    [
      "P12: a pool never shrinks",
      ["eu-central-1a", "eu-central-1b"],
      ["eu-central-1b"],
      ["eu-central-1a", "eu-central-1b"],
    ],
  ];
  for (const [name, before, after, result] of zones) {
    test(name, () => {
      const { spec } = patch(create(poolsWith({ zones: before })), poolsWith({ zones: after }));
      deepEqual(spec.provider.workers?.[0]?.zones, result);
    });
  }

  test("P8, P9: a pool in a known zone leaves the network alone, one in a new zone extends it", () => {
    const shoot = create();
    const known = patch(shoot, poolsWith({}, { ...main, name: "more", zones: ["eu-central-1a"] }));
    deepEqual(known.spec.provider.infrastructureConfig, shoot.spec.provider.infrastructureConfig);
    const added = patch(shoot, poolsWith({}, { ...main, name: "more", zones: ["eu-central-1d"] }));
    deepEqual(zonesOf(added).slice(0, 3), zonesOf(shoot));
    equal(zonesOf(added).length, 4);
  });

  test("P11: what the Runtime says about the infrastructure is not read", () => {
    const provider = {
      type: "aws",
      workers: [main],
      infrastructureConfig: { networks: { vpc: { cidr: "1.0.0.0/8" } } },
    };
    deepEqual(create({ provider }).spec.provider.infrastructureConfig, create().spec.provider.infrastructureConfig);
  });

  test("P13, P15: a pool goes, its zones in the network stay", () => {
    const shoot = create(poolsWith({}, { ...main, name: "more", zones: ["eu-central-1d"] }));
    const { spec } = patch(shoot);
    deepEqual(
      spec.provider.workers?.map(({ name }) => name),
      ["cpu-worker-0"],
    );
    deepEqual(spec.provider.infrastructureConfig, shoot.spec.provider.infrastructureConfig);
  });

  test("P14: each pool changes by itself", () => {
    const two = { ...main, name: "two" };
    const { spec } = patch(
      create(poolsWith({}, two)),
      poolsWith({ machine: { type: "a" } }, { ...two, machine: { type: "b" } }),
    );
    deepEqual(
      spec.provider.workers?.map(({ machine }) => machine.type),
      ["a", "b"],
    );
  });

  test("P17: without an existing network, Shoot pools or a main pool nothing is patched", () => {
    const shoot = create();
    const { infrastructureConfig: _, ...provider } = shoot.spec.provider;
    throws(() => patch({ ...shoot, spec: { ...shoot.spec, provider } }), { code: "CONVERSION_NO_INFRASTRUCTURE" });
    const empty = { ...shoot.spec.provider, workers: [] };
    throws(() => patch({ ...shoot, spec: { ...shoot.spec, provider: empty } }), {
      code: "CONVERSION_NO_SHOOT_WORKERS",
    });
    throws(() => patch(shoot, { provider: { type: "aws", workers: [] } }), { code: "CONVERSION_MAIN_WORKER" });
    const moved = { ...shoot, spec: { ...shoot.spec, provider: { ...shoot.spec.provider, type: "azure" } } };
    throws(() => patch(moved), { code: "CONVERSION_PROVIDER_CHANGED" });
  });
});
