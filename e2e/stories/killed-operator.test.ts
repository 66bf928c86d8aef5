import { deepEqual, equal } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { LocalWorld, type LoggedRequest } from "../local-world.ts";
import { eventually } from "../programs.ts";

let world: LocalWorld;
let killed = 0;
/** Writes before this one belong to moments that are over. */
let seen = 0;

beforeAll(async () => {
  world = await LocalWorld.start();
}, 60_000);
afterAll(async () => {
  await world.stop();
}, 30_000);

type Moment = Partial<LoggedRequest>;

/** In the order in which the operator comes by them. */
const moments = {
  shootRequested: { cluster: "gardener", verb: "create", resource: "shoots", subresource: "" },
  clusterAnnounced: { cluster: "control-plane", verb: "create", resource: "gardenerclusters" },
  accessWritten: { cluster: "control-plane", verb: "create", resource: "secrets" },
  clusterHalfPrepared: { cluster: "runtime-demo", verb: "patch", resource: "customresourcedefinitions" },
  moduleRequested: { cluster: "control-plane", verb: "patch", resource: "manifests" },
  moduleHalfInstalled: { cluster: "runtime-demo", verb: "patch", resource: "serviceaccounts" },
  upgradeRequested: { cluster: "control-plane", verb: "patch", resource: "manifests" },
  moduleHalfUpgraded: { cluster: "runtime-demo", verb: "patch", resource: "deployments" },
  moduleHalfRemoved: { cluster: "runtime-demo", verb: "delete" },
  shootDeletionRequested: { cluster: "gardener", verb: "delete", resource: "shoots" },
} satisfies Readonly<Record<string, Moment>>;

const operatorPid = async (): Promise<number> => (await world.status())?.operatorPid ?? 0;

/** Kills the operator in the moment after it has made this write. */
async function killAfter(moment: Moment): Promise<void> {
  const pid = await eventually(
    async () => {
      const current = await operatorPid();
      return current === 0 || current === killed ? undefined : current;
    },
    () => `another operator than ${killed}: ${world.output()}`,
  );
  const index = await eventually(
    async () => {
      const found = (await world.writes()).findIndex((write, at) => at >= seen && isAt(write, moment));
      return found < 0 ? undefined : found;
    },
    () => `${JSON.stringify(moment)} in ${world.output()}`,
    { everyMs: 10 },
  );
  process.kill(pid, "SIGKILL");
  killed = pid;
  seen = index + 1;
}

const isAt = (write: LoggedRequest, moment: Moment): boolean =>
  write.userAgent.startsWith("kyma-operator") &&
  Object.entries(moment).every(([field, value]) => write[field as keyof LoggedRequest] === value);

/** What real kubectl prints. */
const onPlane = (...args: readonly string[]) => world.onPlane(...args);

/** Waits until everything is Ready, as the operator that follows the last one leaves it. */
async function settled(version: string): Promise<void> {
  await eventually(
    async () => {
      const status = await world.status();
      if (status === undefined || status.operatorPid === killed) return undefined;
      if (!status.rows.every(({ state }) => state === "Ready")) return undefined;
      return new RegExp(`^greeter-manager=\\S+:${version} `).test(await images()) ? true : undefined;
    },
    () => world.output(),
  );
  equal((await onPlane("get", "manifests", "-o", "name")).split("\n").length - 1, 2);
  equal(await world.printed("gardener", "get", "shoots", "-A", "-o", "name"), "shoot.core.gardener.cloud/demo\n");
  deepEqual((await images()).match(/\S+-manager(?==)/g), ["greeter-manager", "metering-manager"]);
  // Only one Shoot was ever made, whoever asked for it.
  equal((await world.writes()).filter((write) => isAt(write, { ...moments.shootRequested, status: 201 })).length, 1);
}

const images = () =>
  world.printed(
    "runtime-demo",
    "-n",
    "kyma-system",
    "get",
    "deployments",
    "-o",
    "jsonpath={range .items[*]}{.metadata.name}={.spec.template.spec.containers[0].image} {end}",
  );

describe("an operator killed at ten moments of the demo", () => {
  test("six times until all is Ready: no duplicate, no orphan", async () => {
    await killAfter(moments.shootRequested);
    await killAfter(moments.clusterAnnounced);
    await killAfter(moments.accessWritten);
    await killAfter(moments.clusterHalfPrepared);
    await killAfter(moments.moduleRequested);
    await killAfter(moments.moduleHalfInstalled);
    await settled("1.0.0");
  }, 300_000);

  test("twice during an upgrade: the new version, once", async () => {
    seen = (await world.writes()).length;
    const channel = '{"spec":{"channel":"fast"}}';
    await world.printed("runtime-demo", "-n", "kyma-system", "patch", "kyma", "default", "--type=merge", "-p", channel);
    await killAfter(moments.upgradeRequested);
    await killAfter(moments.moduleHalfUpgraded);
    await settled("1.1.0");
  }, 180_000);

  test("twice during the deletion: nothing is left", async () => {
    seen = (await world.writes()).length;
    await onPlane("delete", "kyma", "demo", "--wait=false");
    await killAfter(moments.moduleHalfRemoved);
    await onPlane("wait", "--for=delete", "kyma/demo", "--timeout=60s");
    equal(await onPlane("get", "manifests", "-o", "name"), "");
    const left = await world.printed(
      "runtime-demo",
      "get",
      "deployments,configmaps,clusterroles,crds",
      "-A",
      "-o",
      "name",
    );
    deepEqual(left.match(/.*(greeter|metering|operator\.kyma-project\.io).*/g), null);

    await onPlane("delete", "runtime", "demo", "--wait=false");
    await killAfter(moments.shootDeletionRequested);
    await onPlane("wait", "--for=delete", "runtime/demo", "--timeout=60s");
    equal(await world.printed("gardener", "get", "shoots", "-A", "-o", "name"), "");
    equal(await onPlane("get", "gardenerclusters", "-o", "name"), "");
    deepEqual((await onPlane("get", "secrets", "-o", "name")).match(/.*kubeconfig-.*/g), null);
  }, 180_000);
});
