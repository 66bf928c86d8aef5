import { deepEqual, equal, match } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { shootResource } from "@kyma-operators/gardener";
import { type AnyObject, createClient, systemClock, transportFrom } from "@kyma-operators/kube";
import { type Runtime, requiredRuntimeLabels } from "../../apis/infrastructure/index.ts";
import { convertToShoot, parseLandscapeConfig } from "../../controllers/runtime/shoot/index.ts";
import { startGardener } from "../../local/gardener/index.ts";
import { productRoot } from "../../local/product-files.ts";
import { landscapeText, runtimeObject } from "../../testing/index.ts";
import type { Files } from "../io.ts";
import { runCli } from "../run.ts";
import { fakeIo } from "../testing.ts";

const oidc = {
  clientID: "c",
  groupsClaim: "groups",
  issuerURL: "https://idp.example.test",
  signingAlgs: ["RS256"],
  usernameClaim: "sub",
  usernamePrefix: "-",
};

const config = {
  cluster: { defaultSharedIASTenant: oidc },
  converter: {
    kubernetes: { defaultVersion: "1.31.9", defaultOperatorOidc: oidc },
    machineImage: { defaultName: "gardenlinux", defaultVersion: "1592.9.0" },
    gardener: { projectName: "kyma-dev" },
    auditLogging: { policyConfigMapName: "audit-policy", tenantConfigPath: "/nowhere" },
  },
};

const worker = { name: "main", machine: { type: "m6i.large" }, minimum: 3, maximum: 20, zones: ["a"] };

const runtime = {
  apiVersion: "infrastructuremanager.kyma-project.io/v1",
  kind: "Runtime",
  metadata: { name: "r", generation: 2, labels: Object.fromEntries(requiredRuntimeLabels.map((key) => [key, "x"])) },
  spec: {
    shoot: {
      name: "c-1",
      purpose: "production",
      platformRegion: "cf-eu10",
      region: "eu-central-1",
      secretBindingName: "aws",
      networking: { type: "calico", nodes: "10.250.0.0/16", pods: "10.96.0.0/13", services: "10.104.0.0/13" },
      provider: { type: "aws", workers: [worker] },
    },
    security: { administrators: [], networking: { filter: { egress: { enabled: false } } } },
  },
};

function withMaximum(maximum: number): unknown {
  const provider = { type: "aws", workers: [{ ...worker, maximum }] };
  return { ...runtime, spec: { ...runtime.spec, shoot: { ...runtime.spec.shoot, provider } } };
}

const crds = join(productRoot(), "crds");

async function kyma(files: Readonly<Record<string, unknown>>, ...args: readonly string[]) {
  const readText = async (path: string): Promise<string> => {
    if (path.startsWith(crds)) return readFile(path, "utf8");
    const value = files[path];
    if (value === undefined) throw Object.assign(new Error(`ENOENT: no such file: ${path}`), { code: "ENOENT" });
    return typeof value === "string" ? value : JSON.stringify(value);
  };
  const io = fakeIo({ files: { readText } as Files, stdin: JSON.stringify(runtime) });
  const code = await runCli(["runtime", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

const landscape = parseLandscapeConfig(JSON.stringify(config), "config.json");
const base = { "runtime.yaml": runtime, "config.json": config };
const conversion = ["-f", "runtime.yaml", "--converter-config", "config.json"];

describe("kyma runtime convert", () => {
  test("reads the Runtime from standard input and prints the Shoot as YAML", async () => {
    const { code, out } = await kyma(base, "convert", "-f", "-", "--converter-config", "config.json");
    equal(code, 0);
    match(out, /^apiVersion: core\.gardener\.cloud\/v1beta1\nkind: Shoot\n/);
    match(out, /httpTokens: required/);
  });

  test("names the keys of the configuration that it does not know", async () => {
    const files = { ...base, "config.json": { ...config, colour: "red" } };
    const { code, err } = await kyma(files, "convert", ...conversion);
    equal(code, 1);
    match(err, /^Error: config\.json is not valid: document: .*"colour"/);
  });

  test("says which field of a Runtime is missing", async () => {
    const { code, err } = await kyma(
      { ...base, "runtime.yaml": { kind: "Runtime", metadata: {} } },
      "convert",
      ...conversion,
    );
    equal(code, 1);
    match(err, /^Error: runtime\.yaml: spec: /);
  });

  test("reads one Runtime at a time", async () => {
    const files = { ...base, "runtime.yaml": `${JSON.stringify(runtime)}\n---\n${JSON.stringify(runtime)}\n` };
    const { code, err } = await kyma(files, "convert", ...conversion);
    equal(code, 1);
    equal(err, "Error: runtime.yaml: holds 2 documents, one Runtime is read at a time\n");
  });

  test.each(["convert", "diff"])("%s refuses the Shoot of another Runtime, or of another project", async (command) => {
    const shoot = convertToShoot({ runtime: runtime as unknown as Runtime, config: landscape });
    const withMetadata = (metadata: object) => ({ ...shoot, metadata: { ...shoot.metadata, ...metadata } });
    const answer = (existing: unknown) =>
      kyma({ ...base, "shoot.yaml": existing }, command, ...conversion, "--existing-shoot", "shoot.yaml");
    equal((await answer(withMetadata({}))).code, 0);
    equal((await answer(withMetadata({ namespace: undefined }))).code, 0);
    for (const [metadata, found] of [
      [{ name: "c-2" }, "garden-kyma-dev/c-2"],
      [{ namespace: "garden-other" }, "garden-other/c-1"],
    ] as const) {
      const { code, out, err } = await answer(withMetadata(metadata));
      deepEqual([code, out], [4, ""]);
      equal(
        err,
        `Error: shoot.yaml: expected Shoot garden-kyma-dev/c-1, which Runtime r describes, found Shoot ${found}\n`,
      );
    }
  });

  test("answers bad usage with 4", async () => {
    const { code, err } = await kyma(base, "convert", "-f", "runtime.yaml");
    equal(code, 4);
    match(err, /--converter-config/);
  });
});

describe("kyma runtime validate", () => {
  test("accepts what can be built", async () => {
    deepEqual(await kyma(base, "validate", ...conversion), { code: 0, out: "runtime.yaml is valid\n", err: "" });
  });

  test("lists every problem by field", async () => {
    const { code, out, err } = await kyma(
      { ...base, "runtime.yaml": withMaximum(1) },
      "validate",
      "-f",
      "runtime.yaml",
    );
    equal(code, 1);
    equal(out, "spec.shoot.provider.workers[0].maximum: 1 is below the minimum of 3\n");
    equal(err, "Error: runtime.yaml has 1 problem(s)\n");
  });

  const withWorker = (fields: object): object => {
    const provider = { type: "aws", workers: [{ ...worker, ...fields }] };
    return { ...runtime, spec: { ...runtime.spec, shoot: { ...runtime.spec.shoot, provider } } };
  };

  test("takes a null for an absent field, as the API server does", async () => {
    const files = { "runtime.yaml": { ...withWorker({ volume: null, zones: ["a"] }), status: null } };
    const { out } = await kyma({ ...base, ...files }, "validate", ...conversion);
    equal(out, "runtime.yaml is valid\n");
  });

  test("names every field that the API server would refuse or drop", async () => {
    const path = "spec.shoot.provider.workers[0]";
    const files = { "r.yaml": withWorker({ minimum: "3", volume: "80Gi", zone: "a" }) };
    const { code, out } = await kyma(files, "validate", "-f", "r.yaml");
    equal(code, 1);
    equal(
      out,
      [
        `${path}.minimum: Invalid value: "string": ${path}.minimum in body must be of type integer: "string"`,
        `${path}.volume: Invalid value: "string": ${path}.volume in body must be of type object: "string"`,
        `${path}.zone: is no field of a Runtime`,
        "",
      ].join("\n"),
    );
  });

  test("says what it takes a document for that is no Runtime", async () => {
    const { code, out } = await kyma({ "r.yaml": { kind: "Shoot" } }, "validate", "-f", "r.yaml");
    equal(code, 1);
    equal(
      out,
      'apiVersion: must be infrastructuremanager.kyma-project.io/v1, found undefined\nkind: must be Runtime, found "Shoot"\n',
    );
  });

  test("checks an update against the Runtime as it is now", async () => {
    const old = { ...runtime, spec: { ...runtime.spec, shoot: { ...runtime.spec.shoot, region: "us-east-1" } } };
    const { out } = await kyma(
      { ...base, "old.yaml": old },
      "validate",
      "-f",
      "runtime.yaml",
      "--old",
      "old.yaml",
      "-o",
      "json",
    );
    deepEqual(JSON.parse(out), {
      problems: [{ field: "spec.shoot.region", message: 'cannot be changed from "us-east-1" to "eu-central-1"' }],
    });
  });
});

describe("kyma runtime diff", () => {
  test("says what changes, what stays and what is left to Gardener", async () => {
    const { out: shoot } = await kyma(base, "convert", ...conversion, "-o", "json");
    const existing = JSON.parse(shoot) as { spec: { seedName?: string } };
    existing.spec.seedName = "aws-eu1";
    const files = { ...base, "runtime.yaml": withMaximum(30), "shoot.yaml": existing };

    const { code, out } = await kyma(files, "diff", ...conversion, "--existing-shoot", "shoot.yaml");
    equal(code, 0);
    equal(
      out,
      [
        "~ spec.provider.workers[main].maximum: 20 -> 30",
        ". spec.seedName is left to Gardener",
        "1 change(s)",
        "",
      ].join("\n"),
    );
  });

  test("asks Gardener for the Shoot when no file has it", async () => {
    const gardener = await startGardener();
    const folder = await mkdtemp(join(tmpdir(), "runtime-diff-"));
    const kubeconfig = join(folder, "kubeconfig");
    try {
      await writeFile(kubeconfig, gardener.server.tokenKubeconfig());
      const access = ["--gardener-kubeconfig-path", kubeconfig];
      const missing = await kyma(base, "diff", ...conversion, ...access);
      deepEqual([missing.code, missing.out], [1, ""]);
      match(missing.err, /^Error: Gardener has no Shoot garden-\S+\/c-1: "kyma runtime convert" prints the one/);

      const garden = createClient({ transport: transportFrom(gardener.server.transport), clock: systemClock });
      const input = {
        runtime: runtimeObject() as unknown as Runtime,
        config: parseLandscapeConfig(landscapeText(), "c"),
      };
      await garden.create(shootResource, convertToShoot(input) as unknown as AnyObject);
      const [pool] = input.runtime.spec.shoot.provider.workers;
      const provider = { type: "aws", workers: [{ ...pool, maximum: 30 }] };
      const files = { "config.json": landscapeText(), "runtime.yaml": runtimeObject({ shoot: { provider } }) };
      const { code, out } = await kyma(files, "diff", ...conversion, ...access);
      equal(code, 0);
      match(out, /maximum: 20 -> 30/);
    } finally {
      await gardener.stop();
      await rm(folder, { recursive: true });
    }
  });
});

describe("kyma runtime migrate", () => {
  const flags = ["--gardener-kubeconfig-path", "g", "--kcp-kubeconfig-path", "k", "--converter-config", "config.json"];
  const migrate = (files: Readonly<Record<string, unknown>>, ...args: readonly string[]) =>
    kyma({ ...base, ...files }, "migrate", ...flags, "--input-file-path", "ids.json", ...args);

  test("refuses results that are none, before any cluster is asked", async () => {
    for (const results of ["x", {}, [1]]) {
      const { code, err } = await migrate({ "out/migration-results.json": results }, "--resume", "out");
      equal(code, 4);
      match(err, /^Error: out\/migration-results\.json holds no results of a migration/);
    }
  });

  test("refuses platform regions that are none, before any cluster is asked", async () => {
    const files = { "regions.json": { "eu-central-1": 10 } };
    const { code, err } = await migrate(files, "--platform-regions", "regions.json");
    equal(code, 1);
    match(err, /^Error: regions\.json is not valid: eu-central-1: .*expected string, received number\n$/);
  });
});
