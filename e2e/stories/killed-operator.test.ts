import { equal } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { LocalWorld, type Status } from "../local-world.ts";
import { eventually } from "../programs.ts";

let world: LocalWorld | undefined;
afterEach(async () => {
  await world?.stop();
}, 30_000);

const stateOf = (status: Status, kind: string): string => status.rows.find((row) => row.kind === kind)?.state ?? "";

const moments: readonly { readonly name: string; readonly reached: (status: Status) => boolean }[] = [
  { name: "while the cluster is being created", reached: (status) => stateOf(status, "Runtime") === "Pending" },
  { name: "when the cluster has just appeared", reached: (status) => stateOf(status, "GardenerCluster") !== "" },
  { name: "while modules are being installed", reached: (status) => stateOf(status, "Manifest") !== "" },
];

describe("an operator killed in the middle of the demo", () => {
  for (const { name, reached } of moments) {
    test(`${name} ends in Ready with no duplicate and no orphan`, async () => {
      world = await LocalWorld.start();
      const current = world;
      const status = await eventually(
        async () => {
          const now = await current.status();
          return now !== undefined && reached(now) ? now : undefined;
        },
        () => current.output(),
      );
      process.kill(status.operatorPid, "SIGKILL");
      await current.ready();

      // Modules may be Ready before the next operator starts: what counts is how it leaves the world.
      const end = await eventually(
        async () => {
          const now = await current.status();
          const isNext = now !== undefined && now.operatorPid !== status.operatorPid;
          return isNext && now.rows.every(({ state }) => state === "Ready") ? now : undefined;
        },
        () => current.output(),
      );
      equal(end.rows.filter(({ kind }) => kind === "Manifest").length, 2);
      const { stdout: shoots } = await current.kubectl("gardener", "get", "shoots", "-A", "-o", "name");
      equal(shoots, "shoot.core.gardener.cloud/demo\n");
      const { stdout: remote } = await current.kubectl("runtime-demo", "get", "deployments", "-A", "-o", "name");
      equal(remote, "deployment.apps/greeter-manager\ndeployment.apps/metering-manager\n");
    }, 180_000);
  }
});
