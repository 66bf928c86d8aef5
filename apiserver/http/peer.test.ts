import { equal, rejects } from "node:assert/strict";
import { afterEach, describe, test } from "@jest/globals";
import { builtIn, type Client, clusterFromKubeconfig, createClient, createHttpTransport } from "@kyma-operators/kube";
import { type ApiServer, startApiServer } from "../index.ts";
import { systemClock } from "../system-clock.ts";

const { namespaces } = builtIn;
const unauthorized = { code: "KUBE_UNAUTHORIZED" };

describe("a client certificate", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function start(): Promise<ApiServer> {
    const server = await startApiServer({ workload: false });
    ends.push(() => server.stop());
    return server;
  }

  function clientOf(kubeconfig: string): Client {
    const client = createClient({
      transport: createHttpTransport(clusterFromKubeconfig(kubeconfig)),
      clock: systemClock,
      userAgent: "test",
    });
    ends.push(() => client.close());
    return client;
  }

  const read = async (client: Client): Promise<void> => {
    equal((await client.get({ resource: namespaces, name: "default" })).metadata.name, "default");
  };

  test("ends at its time, on an open connection too", async () => {
    const server = await start();
    // Certificates count in whole seconds.
    const expiresAt = (Math.floor(systemClock.now() / 1000) + 2) * 1000;
    const client = clientOf(await server.kubeconfig({ user: "a", groups: ["system:masters"], expiresAt }));
    await read(client);
    await systemClock.sleep(expiresAt - systemClock.now() + 50);
    await rejects(read(client), unauthorized);
  });

  test("that has ended before is refused, and not taken for nobody", async () => {
    const server = await start();
    const expiresAt = systemClock.now() - 60_000;
    await rejects(
      read(clientOf(await server.kubeconfig({ user: "a", groups: ["system:masters"], expiresAt }))),
      unauthorized,
    );
  });

  test("of another authority is refused", async () => {
    const [server, other] = [await start(), await start()];
    const [, foreign = ""] = (await other.kubeconfig()).split("users:");
    const [own = ""] = (await server.kubeconfig()).split("users:");
    await rejects(read(clientOf(`${own}users:${foreign}`)), unauthorized);
  });
});
