import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { afterEach, beforeEach, test } from "@jest/globals";
import { builtIn, type Client } from "@kyma-operators/kube";
import { createManager, type Store } from "@kyma-operators/runtime";
import { formatYaml, parseYaml } from "@kyma-operators/yaml";
import { tokenTimes } from "../../apis/operator/runtime-access.ts";
import { FakeClock, startCluster, type TestCluster } from "../../testing/index.ts";
import { renewRuntimeAccess } from "./access-renewal.ts";
import type { Secret } from "./remote/access-secrets.ts";

const { secrets } = builtIn;

const hourMs = 3_600_000;
const namespace = "kcp-system";
const ref = { resource: secrets, namespace, name: "kubeconfig-default" };

let clock: FakeClock;
let cluster: TestCluster;
let end: AbortController;
let warnings: string[];
beforeEach(async () => {
  clock = new FakeClock();
  end = new AbortController();
  warnings = [];
  cluster = await startCluster({ clock });
});
afterEach(async () => {
  end.abort();
  await cluster.stop();
});

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

const secretNow = () => cluster.client.get<Secret>(ref);
const kubeconfigNow = async () =>
  parseYaml(Buffer.from((await secretNow()).data?.["config"] ?? "", "base64").toString()) as Kubeconfig;

async function makeAccess(annotations: Readonly<Record<string, string>>): Promise<string> {
  await cluster.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "kyma-runtime", namespace } },
  );
  const account = { resource: await cluster.resource("v1", "ServiceAccount"), namespace, name: "kyma-runtime" };
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 86_400 } };
  const { status } = await cluster.client.createSubresource<{ status: { token: string } }>(account, "token", request);
  const config = { clusters: [{ name: "runtime" }], users: [{ name: "u", user: { token: status.token } }] };
  await cluster.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: ref.name, namespace, annotations },
    data: { config: Buffer.from(formatYaml(config)).toString("base64") },
  });
  return status.token;
}

/** Runs the renewal with a store that follows the cluster. */
async function begin(client: Client = cluster.client): Promise<(ms: number) => Promise<void>> {
  let seen = [await secretNow()];
  const store = { list: () => seen } as unknown as Store<Secret>;
  const warn = (_fields: object, text: string): void => void warnings.push(text);
  const log = { info: () => undefined, warn } as unknown as Parameters<typeof renewRuntimeAccess>[0]["log"];
  void renewRuntimeAccess({ client, clock, log }, store, end.signal);
  return async (ms) => {
    for (const until = clock.now() + ms; clock.now() < until; ) {
      await clock.advance(hourMs / 2);
      await new Promise((resolve) => setImmediate(resolve));
      seen = [await secretNow()];
    }
  };
}

test("a token is renewed when half of its time is over, and nothing else of the kubeconfig changes", async () => {
  const first = await makeAccess({ "cli.kyma-project.io/service-account": "kyma-runtime" });
  const pass = await begin();
  await pass(10 * hourMs);
  equal((await kubeconfigNow()).users[0]?.user.token, first);
  await pass(4 * hourMs);
  const { users, clusters } = await kubeconfigNow();
  const second = users[0]?.user.token ?? "";
  notEqual(second, first);
  ok((tokenTimes(second)?.to ?? 0) > (tokenTimes(first)?.to ?? 0));
  equal(clusters[0]?.name, "runtime");
});

test("an access Secret that somebody else made is left alone", async () => {
  const first = await makeAccess({});
  const pass = await begin();
  await pass(30 * hourMs);
  equal((await kubeconfigNow()).users[0]?.user.token, first);
});

test("a failure is told, but not by a replica that holds no lease: another one renews", async () => {
  await makeAccess({ "cli.kyma-project.io/service-account": "kyma-runtime" });
  const lease = { name: "shared", namespace, enabled: true };
  const follower = createManager({ client: cluster.client, clock, identity: "b", leases: [lease] });
  await (await begin(follower.context("shared").client))(13 * hourMs);
  deepEqual(warnings, []);
  const createSubresource = async (): Promise<never> => {
    throw new Error("refused");
  };
  await (await begin({ ...cluster.client, createSubresource }))(hourMs);
  equal(warnings[0], "a token can't be renewed");
});
