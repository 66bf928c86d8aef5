import { deepEqual, equal, match } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { type Runtime, runtimeResource } from "../../apis/infrastructure/index.ts";
import { convertToShoot, parseLandscapeConfig } from "../../controllers/runtime/shoot/index.ts";
import {
  type InfrastructureWorld,
  landscapeText,
  runtimeObject,
  startInfrastructureWorld,
} from "../../testing/index.ts";
import type { Files } from "../io.ts";
import { Migration, type MigrationOptions } from "./migration.ts";

const namespace = "kcp-system";
const config = parseLandscapeConfig(landscapeText(), "converter_config.json");
const bindings = builtIn.clusterRoleBindings;
const nameOf = (id: string): string => runtimeObject({ id }).metadata.name ?? "";

describe("T1, T2: the migration of Shoots", () => {
  let world: InfrastructureWorld;
  const written = new Map<string, string>();
  const files = {
    write: async (path: string, data: string | Uint8Array) => void written.set(path, String(data)),
  } as Files;
  const options: MigrationOptions = {
    config,
    tenants: {},
    platformRegions: { "eu-central-1": "cf-eu10" },
    isDryRun: true,
    acceptDifferences: false,
    folder: "out",
  };

  /** A Shoot as the Provisioner left it, with everything that belongs to it. */
  async function provision(id: string, edit: (shoot: Shoot) => Shoot = (shoot) => shoot): Promise<void> {
    const object = runtimeObject({ id });
    const shoot = edit(convertToShoot({ runtime: object as unknown as Runtime, config }));
    shoot.metadata.annotations = { "kcp.provisioner.kyma-project.io/runtime-id": nameOf(id) };
    await world.garden.create(shootResource, shoot as Shoot & AnyObject);
    await world.until(async () => (await world.gardener.shootCluster("garden-kyma-dev", `c-${id}`)) !== undefined);
    await world.kcp.apply(
      {
        apiVersion: "infrastructuremanager.kyma-project.io/v1",
        kind: "GardenerCluster",
        metadata: {
          name: nameOf(id),
          namespace,
          labels: { ...object.metadata.labels, "kyma-project.io/shoot-name": `c-${id}` },
        },
        spec: {
          shoot: { name: `c-${id}` },
          kubeconfig: { secret: { name: `kubeconfig-${nameOf(id)}`, namespace, key: "config" } },
        },
      },
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: `kubeconfig-${nameOf(id)}`, namespace },
        data: { config: Buffer.from(`c-${id}`).toString("base64") },
      },
    );
    const skr = await world.shootClient(`c-${id}`);
    const labels = { "reconciler.kyma-project.io/managed-by": "reconciler", app: "kyma" };
    const subjects = [
      { kind: "User", name: "a@example.test", apiGroup: "rbac.authorization.k8s.io" },
      { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
      { kind: "User", name: "a@example.test", apiGroup: "rbac.authorization.k8s.io" },
    ];
    for (const [name, role] of [
      ["admins", "cluster-admin"],
      ["viewers", "view"],
    ] as const) {
      await skr.create(bindings, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name, labels },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
        subjects,
      });
    }
  }

  beforeAll(async () => {
    world = await startInfrastructureWorld();
    world.start();
    await provision("1");
    await provision("2", (shoot) => ({
      ...shoot,
      spec: { ...shoot.spec, provider: { ...shoot.spec.provider, workersSettings: { sshAccess: { enabled: true } } } },
    }));
  });
  afterAll(() => world.stop());

  async function migration(given: Partial<MigrationOptions> = {}): Promise<Migration> {
    const clients = new Map([
      ["c-1", await world.shootClient("c-1")],
      ["c-2", await world.shootClient("c-2")],
    ]);
    const connect = (name: string) => clients.get(name) ?? world.garden;
    const { garden: gardener, kcp, clock } = world;
    const signal = new AbortController().signal;
    return new Migration(
      { gardener, controlPlane: kcp.client, connect, files, clock, signal },
      { ...options, ...given },
    );
  }

  test("tries first: files, a verdict per Shoot, and no Runtime", async () => {
    const results = await (await migration()).run([nameOf("1"), nameOf("2"), "nobody"]);
    deepEqual(
      results.map(({ shootName, status, errorMessage }) => [shootName, status, errorMessage]),
      [
        ["c-1", "Success", undefined],
        ["c-2", "ValidationDetectedUnwantedUpdate", undefined],
        ["", "Error", "no Shoot carries this runtime id"],
      ],
    );
    const runtime = parseYaml(written.get(`out/runtimes/${nameOf("1")}.yaml`) ?? "") as Runtime;
    deepEqual(runtime.spec.security.administrators, ["a@example.test"]);
    equal(runtime.spec.shoot.platformRegion, "cf-eu10");
    match(written.get(`out/comparison-results/${nameOf("2")}/c-2.diff`) ?? "", /sshAccess\.enabled: true\n\+ .*false/);
    deepEqual(await world.kcp.list("infrastructuremanager.kyma-project.io/v1", "Runtime"), []);
    equal(JSON.parse(written.get("out/migration-results.json") ?? "[]").length, 3);
  });

  test("then creates what changes nothing, and marks the bindings that are to go", async () => {
    await (await migration({ isDryRun: false })).run([nameOf("1"), nameOf("2")]);
    const runtimes = await world.kcp.list("infrastructuremanager.kyma-project.io/v1", "Runtime");
    deepEqual(
      runtimes.map(({ metadata }) => metadata.name),
      [nameOf("1")],
    );
    const skr = await world.shootClient("c-1");
    const binding = await skr.get({ resource: bindings, name: "admins" });
    equal(binding.metadata.labels?.["kyma-project.io/deprecation"], "to-be-removed-soon");
  });

  test("goes on where it was interrupted", async () => {
    const [done] = await (await migration({ isDryRun: false })).run([nameOf("1")]);
    await world.kcp.client.delete({ resource: runtimeResource, namespace, name: nameOf("1") });
    await (await migration({ isDryRun: false })).run([nameOf("1")], done === undefined ? [] : [done]);
    deepEqual(await world.kcp.list("infrastructuremanager.kyma-project.io/v1", "Runtime"), []);
  });
});
