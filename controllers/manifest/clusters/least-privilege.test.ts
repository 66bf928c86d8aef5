import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { type AnyObject, type Client, createClient, transportFrom } from "@kyma-operators/kube";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { ManifestWorld, manifestObject, sampleModule } from "../../../testing/index.ts";
import { addManifestController, type ManifestController } from "../controller.ts";
import { Clusters } from "./clusters.ts";
import { ActingTokens } from "./impersonation.ts";

const { configMap, deployment } = sampleModule;
const namespace = "kyma-system";
const annotations = { "operator.kyma-project.io/service-account": `${namespace}/installer` };

const role = (name: string, rules: readonly object[]): AnyObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name, namespace },
  rules,
});
const binding = (name: string, subject: object): AnyObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name, namespace },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
  subjects: [subject],
});

/** The operator itself may do nothing on the cluster but ask for tokens of this one account. */
const tokensOnly = role("operator", [
  { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: ["installer"], verbs: ["create"] },
]);
const configMapsOnly = {
  apiGroups: [""],
  resources: ["configmaps"],
  verbs: ["get", "list", "create", "patch", "delete"],
};
const alsoDeployments = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] };

let world: ManifestWorld<ManifestController>;
beforeEach(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options), {
    authorizationMode: "RBAC",
  });
  const { skr, kcp, clusters, clock } = world.world;
  const account = { kind: "ServiceAccount", name: "installer", namespace };
  await skr.apply(
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "installer", namespace } },
    tokensOnly,
    binding("operator", { kind: "User", name: "kyma", apiGroup: "rbac.authorization.k8s.io" }),
    role("installer", [configMapsOnly]),
    binding("installer", account),
  );
  clusters.open = (_key, _revision, kubeconfig) => {
    const token = /token: "?([^"\s]+)/.exec(kubeconfig())?.[1] ?? "";
    const transport = transportFrom((request) =>
      skr.server.transport({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
    );
    return createClient({ transport, clock, userAgent: "operator" });
  };
  const config = Buffer.from(skr.server.tokenKubeconfig({ user: "kyma" })).toString("base64");
  const secrets = await kcp.resource("v1", "Secret");
  await kcp.client.mergePatch(
    { resource: secrets, namespace: "kcp-system", name: "kubeconfig-one" },
    { data: { config } },
  );
});
afterEach(async () => world.stop());

const operation = async (): Promise<string> => (await world.manifest())?.status?.lastOperation?.operation ?? "";

describe("a Manifest that names a ServiceAccount", () => {
  test("does what the account may, as the account, and no more", async () => {
    await world.install(world.layer([configMap("settings")]), {}, { annotations });
    await world.until("Ready");
    const users = new Set(world.world.skr.writes().map(({ user, subresource }) => `${user} ${subresource}`.trim()));
    deepEqual([...users].toSorted(), ["kyma token", `system:serviceaccount:${namespace}:installer`]);

    await world.upgrade(world.layer([configMap("settings"), deployment("alpha:1")]));
    match(
      (await world.until("Error")).status?.lastOperation?.operation ?? "",
      /^Deployment kyma-system\/alpha could not be applied: .*system:serviceaccount:kyma-system:installer/,
    );
    await world.world.skr.apply(role("installer", [configMapsOnly, alsoDeployments]));
    await world.until("Ready");
  });

  test("is compared with its cluster within the account's namespaces, with a token that is renewed", async () => {
    await world.install(world.layer([configMap("settings")]), {}, { annotations });
    await world.until("Ready");
    const maps = await world.world.skr.resource("v1", "ConfigMap");
    await world.world.clock.advance(3 * 3_600_000);
    await world.world.skr.client.delete({ resource: maps, namespace, name: "settings" });
    world.controller.remoteChanged("one");
    await world.world.clock.until(async () => (await world.names("v1", "ConfigMap")).includes("settings"));

    equal((await world.until("Ready")).status?.state, "Ready");
    const tokens = world.world.skr.writes().filter(({ subresource }) => subresource === "token");
    ok(tokens.length >= 3 && tokens.length <= 8, `${tokens.length} tokens in three hours`);
  });

  test("that may not do something keeps its token, however often that is tried", async () => {
    await world.install(world.layer([deployment("alpha:1")]), {}, { annotations });
    await world.until("Error");
    await world.world.clock.advance(300_000);

    equal(world.world.skr.writes().filter(({ subresource }) => subresource === "token").length, 1);
  });

  test("without the annotation nothing is done that our own access does not allow", async () => {
    await world.install(world.layer([configMap("settings")]));
    await world.until("Error");

    match(await operation(), /ConfigMap kyma-system\/settings could not be applied: .*"kyma" cannot/);
    deepEqual(await world.names("v1", "ConfigMap"), []);
  });
});

test("the cluster that a Manifest lives in is acted on as the account as well", async () => {
  const { skr, clock } = world.world;
  const withToken = (token: () => Promise<string>): Client =>
    createClient({
      transport: transportFrom(async (request) =>
        skr.server.transport({ ...request, headers: { ...request.headers, authorization: `Bearer ${await token()}` } }),
      ),
      clock,
      userAgent: "operator",
    });
  const own = /token: "?([^"\s]+)/.exec(skr.server.tokenKubeconfig({ user: "kyma" }))?.[1] ?? "";
  const clusters = new Clusters({
    local: withToken(async () => own),
    localWith: withToken,
    remote: { open: () => skr.client, evict: () => undefined },
    secrets: { get: () => undefined, list: () => [], byIndex: () => [] },
    secretsSynced: () => true,
    tokens: new ActingTokens(clock),
  });
  const manifest = manifestObject("x", {}, { labels: {}, annotations }) as unknown as Manifest;
  const { client, restricted } = await clusters.for(manifest);
  equal(restricted, true);
  equal((await clusters.for(manifest)).client, client, "one client as long as its token lasts");
  await clock.advance(2_400_000);
  equal((await clusters.for(manifest)).client, client, "also with its next token: closing it would end what it does");
  const options = { fieldManager: "test" };
  await client.apply(await skr.resource("v1", "ConfigMap"), configMap("mine"), options);
  await rejects(client.apply(await skr.resource("apps/v1", "Deployment"), deployment("alpha:1"), options), {
    code: "KUBE_FORBIDDEN",
  });
});
