import { deepEqual, equal, match, ok } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { LocalWorld } from "../local-world.ts";

let world: LocalWorld;
beforeAll(async () => {
  world = await LocalWorld.start();
  await world.ready();
}, 180_000);
afterAll(async () => {
  await world.stop();
}, 30_000);

/** Writes of the operator that are not a lease's heartbeat. */
const operatorWrites = async () =>
  (await world.writes()).filter(
    ({ resource, userAgent }) => resource !== "leases" && userAgent.startsWith("kyma-operator"),
  );

const onPlane = (...args: readonly string[]) => world.onPlane(...args);
const onRuntime = (...args: readonly string[]) => world.onRuntime(...args);

const until = (look: () => Promise<string>, expected: RegExp) => world.until(look, expected);

const moduleStates = () =>
  onPlane("get", "kyma", "demo", "-o", "jsonpath={range .status.modules[*]}{.name}={.state};{end}");

describe("the demo", () => {
  test("real kubectl shows every object with its state", async () => {
    const stdout = await world.printed("control-plane", "get", "kyma,manifest,runtime,gardenercluster", "-A");
    match(stdout, /kyma\.operator\.kyma-project\.io\/demo +Ready/);
    equal(stdout.match(/manifest\.operator\.kyma-project\.io\/demo-\S+ +Ready/g)?.length, 2, stdout);
    match(stdout, /runtime\.infrastructuremanager\.kyma-project\.io\/demo +aws +eu-central-1 +Ready/);
    match(stdout, /gardenercluster\.infrastructuremanager\.kyma-project\.io\/demo .*Ready/);
  });

  test("the modules run on the remote cluster, and the Kyma is Ready there too", async () => {
    match(await onRuntime("get", "deployments"), /greeter-manager +1\/1[\s\S]*metering-manager +1\/1/);
    match(await onRuntime("get", "kyma"), /default +Ready/);
    match(
      await world.printed("runtime-demo", "get", "greeters,meterings", "-A"),
      /greeter\S*\/default[\s\S]*metering\S*\/default/,
    );
  });

  test("a second pass over everything sends no write", async () => {
    const before = await operatorWrites();
    ok(before.length > 0, "the log of writes must see the operator");
    // A label that means nothing wakes every controller of these kinds.
    for (const kind of ["kyma", "manifest", "runtime", "gardenercluster"]) {
      await onPlane("label", kind, "--all", "example.test/touched=yes");
    }
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    deepEqual((await operatorWrites()).slice(before.length), []);
  }, 60_000);

  test("a module by an unknown name is refused by name while the others go on", async () => {
    await onRuntime(
      "patch",
      "kyma",
      "default",
      "--type=json",
      "-p",
      '[{"op":"add","path":"/spec/modules/-","value":{"name":"greetr"}}]',
    );
    match(await until(moduleStates, /greetr=Warning/), /greeter=Ready;metering=Ready/);
    match(await onPlane("get", "events.events.k8s.io", "-o", "jsonpath={.items[*].note}"), /greetr[\s\S]*greeter/);
    await onRuntime("patch", "kyma", "default", "--type=json", "-p", '[{"op":"remove","path":"/spec/modules/2"}]');
    await until(() => onPlane("get", "kyma", "demo", "-o", "jsonpath={.status.state}"), /^Ready$/);
  }, 90_000);

  test("a channel change upgrades the module, also while the operator is killed", async () => {
    const pid = (await world.status())?.operatorPid ?? 0;
    await onRuntime("patch", "kyma", "default", "--type=merge", "-p", '{"spec":{"channel":"fast"}}');
    process.kill(pid, "SIGKILL");
    const image = "jsonpath={.spec.template.spec.containers[0].image}";
    await until(() => onRuntime("get", "deployment", "greeter-manager", "-o", image), /:1\.1\.0$/);
    await until(() => onPlane("get", "kyma", "demo", "-o", "jsonpath={.status.state}"), /^Ready$/);
    await until(async () => String((await world.status())?.operatorPid ?? pid), new RegExp(`^(?!${pid}$)\\d+$`));
  }, 120_000);

  test("deleting Kyma and Runtime leaves nothing behind", async () => {
    await onPlane("delete", "kyma", "demo", "--timeout=60s");
    equal(await onPlane("get", "manifests", "-o", "name"), "");
    const left = await world.printed(
      "runtime-demo",
      "get",
      "deployments,configmaps,clusterroles,crds",
      "-A",
      "-o",
      "name",
    );
    equal(/greeter|metering|operator\.kyma-project\.io/.test(left), false, left);

    await onPlane("delete", "runtime", "demo", "--timeout=60s");
    equal(await world.printed("gardener", "get", "shoots", "-A", "-o", "name"), "");
    equal(await onPlane("get", "gardenerclusters", "-o", "name"), "");
    equal(/kubeconfig-/.test(await onPlane("get", "secrets", "-o", "name")), false);
  }, 180_000);
});
