import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client, kubeErrors } from "@kyma-operators/kube";
import { gardenerClusterResource } from "../../apis/infrastructure/index.ts";
import {
  certificateOf,
  type InfrastructureWorld,
  restartedInfrastructure,
  shootSample,
  startInfrastructureWorld,
} from "../../testing/index.ts";
import { addGardenerClusterController } from "./index.ts";

const namespace = "kcp-system";
const hourMs = 3_600_000;
const count = 15;
const bindings = builtIn.clusterRoleBindings;

/** Many clusters that share one Shoot: each has a kubeconfig of its own. */
function clusterObject(index: number): AnyObject {
  const name = `r-${index}`;
  return {
    apiVersion: "infrastructuremanager.kyma-project.io/v1",
    kind: "GardenerCluster",
    metadata: { name, namespace },
    spec: { shoot: { name: "c-1" }, kubeconfig: { secret: { name: `kubeconfig-${name}`, namespace, key: "config" } } },
  };
}

/** A Gardener that gives no kubeconfigs while it is down. */
class Outage {
  isDown = false;

  on(client: Client): Client {
    return new Proxy(client, {
      get: (target, method) => {
        const found: unknown = Reflect.get(target, method);
        if (typeof found !== "function") return found;
        if (method !== "createSubresource" || !this.isDown) return found.bind(target);
        const answer = { method: "POST", path: "/x", status: 503, reason: "ServiceUnavailable", message: "down" };
        return () => Promise.reject(kubeErrors.SERVER(answer));
      },
    });
  }
}

describe("kubeconfigs that end", () => {
  let world: InfrastructureWorld;
  const outage = new Outage();
  beforeEach(async () => {
    world = await startInfrastructureWorld();
    outage.isDown = false;
    await world.garden.create(shootResource, shootSample);
    const ref = { resource: shootResource, namespace: "garden-kyma-dev", name: "c-1" };
    await world.until(async () => {
      const { status } = await world.garden.get<Shoot & AnyObject>(ref);
      return status?.lastOperation?.state === "Succeeded";
    });
  });
  afterEach(() => world.stop());

  function operate(on: InfrastructureWorld): InfrastructureWorld {
    const gardener = outage.on(on.operatorGarden);
    addGardenerClusterController(on.context, { gardener, projectName: "kyma-dev" });
    on.start();
    return on;
  }

  const ends = new Map<string, number>();
  /** Until when each kubeconfig is valid, as its certificate says. */
  async function expirations(): Promise<readonly number[]> {
    const secrets = await world.kcp.list("v1", "Secret");
    return secrets.map(({ metadata: { resourceVersion = "" }, data }: AnyObject & { data?: { config?: string } }) => {
      const known = ends.get(resourceVersion);
      if (known !== undefined) return known;
      const { validToDate } = certificateOf(Buffer.from(data?.config ?? "", "base64").toString());
      ends.set(resourceVersion, validToDate.getTime());
      return validToDate.getTime();
    });
  }

  const expired = async (): Promise<number> => (await expirations()).filter((end) => end <= world.clock.now()).length;

  /** Lets time pass and looks at all kubeconfigs every five minutes. */
  async function pass(hours: number): Promise<void> {
    const end = world.clock.now() + hours * hourMs;
    for (let next = world.clock.now(); next < end; next += 300_000) {
      await world.until(() => world.clock.now() >= next, hourMs);
      equal(await expired(), 0, `expired ${Math.round((end - next) / hourMs)} h before the end`);
    }
  }

  async function createAll(): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      await world.kcp.client.create(gardenerClusterResource, clusterObject(index));
    }
    await world.until(async () => (await expirations()).length === count);
  }

  test("are replaced in time, although Gardener and then the operator are away for ten hours", async () => {
    const first = operate(world);
    await createAll();
    await pass(16);
    outage.isDown = true;
    await pass(10);
    outage.isDown = false;
    await pass(15);

    // One that is being replaced at this moment does not count.
    const leftMs = async () => Math.min(...(await expirations())) - world.clock.now();
    await world.until(async () => (await leftMs()) > 10 * hourMs);
    await first.halt();
    await world.clock.advance(10 * hourMs);
    equal(await expired(), 0);
    const second = operate(restartedInfrastructure(world));
    await pass(15);
    await second.halt();
  }, 60_000);

  test("that ended while nobody could help are all replaced within a quarter of an hour", async () => {
    const first = operate(world);
    await createAll();
    await first.halt();
    await world.clock.advance(26 * hourMs);
    equal(await expired(), count);

    outage.isDown = true;
    const second = operate(restartedInfrastructure(world));
    await world.until(() => true);
    await world.clock.advance(3 * hourMs);
    outage.isDown = false;
    const back = world.clock.now();
    await world.until(async () => (await expired()) === 0, hourMs);
    ok(world.clock.now() - back <= 900_000, `${(world.clock.now() - back) / 60_000} minutes`);
    await second.halt();
  }, 60_000);

  test("are refused by the cluster once they have ended", async () => {
    const first = operate(world);
    await world.kcp.client.create(gardenerClusterResource, clusterObject(0));
    await world.until(async () => (await expirations()).length === 1);
    const [secret] = (await world.kcp.list("v1", "Secret")) as readonly (AnyObject & { data: { config: string } })[];
    const kubeconfig = Buffer.from(secret?.data.config ?? "", "base64").toString();
    await first.halt();

    const cluster = await world.remote.open("any", "1", () => kubeconfig);
    deepEqual(typeof (await cluster.list(bindings)).items.length, "number");
    await world.clock.advance(24 * hourMs);
    await rejects(cluster.list(bindings), { code: "KUBE_UNAUTHORIZED" });
  });
});
