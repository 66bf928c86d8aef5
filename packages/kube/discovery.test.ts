import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { FakeClock, type ScriptedAnswer, ScriptedTransport } from "../../testing/index.ts";
import { builtIn } from "./built-in.ts";
import { createClient } from "./client.ts";
import type { AnyObject } from "./types.ts";

const core: ScriptedAnswer = {
  body: {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [
      { name: "pods", kind: "Pod", namespaced: true, verbs: ["get", "list"] },
      { name: "pods/log", kind: "Pod", namespaced: true, verbs: ["get"] },
      { name: "nodes", kind: "Node", namespaced: false, verbs: ["get"] },
    ],
  },
};
const notServed: ScriptedAnswer = { status: 404, body: "404 page not found" };
const widgets = (...kinds: string[]): ScriptedAnswer => ({
  body: { resources: kinds.map((kind) => ({ name: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: [] })) },
});

/** A server whose answers per path a test can change. */
function setUp(paths: Record<string, ScriptedAnswer>) {
  const clock = new FakeClock();
  const transport = new ScriptedTransport(({ path }) => paths[path.split("?", 1)[0] ?? ""] ?? notServed);
  const asked = (): string[] => transport.requests.map(({ path }) => path);
  return { clock, transport, asked, client: createClient({ transport, clock }) };
}

describe("resourceFor", () => {
  test("asks once per group version, subresources left out", async () => {
    const { client, asked } = setUp({ "/api/v1": core });
    const [pod, node] = await Promise.all([client.resourceFor("v1", "Pod"), client.resourceFor("v1", "Node")]);
    deepEqual([pod.plural, pod.namespaced, node.namespaced], ["pods", true, false]);
    await client.resourceFor("v1", "Pod");
    deepEqual(asked(), ["/api/v1"]);
  });

  test("looks again for a kind it does not know, so that a new CRD is seen at once", async () => {
    const paths = { "/apis/x.io/v1": widgets("Widget") };
    const { client, asked } = setUp(paths);
    await client.resourceFor("x.io/v1", "Widget");
    await rejects(client.resourceFor("x.io/v1", "Gadget"), {
      code: "KUBE_NO_MATCH",
      message: /serves no kind Gadget in x\.io\/v1; is its CustomResourceDefinition installed/,
    });
    paths["/apis/x.io/v1"] = widgets("Widget", "Gadget");
    equal((await client.resourceFor("x.io/v1", "Gadget")).plural, "gadgets");
    equal(asked().length, 3);
  });

  test("a group version that is not served is no match, a failing server is its own error", async () => {
    const { client, transport } = setUp({});
    await rejects(client.resourceFor("gone.io/v1", "X"), { code: "KUBE_NO_MATCH" });
    transport.answer(() => ({ status: 503, body: {} }));
    await rejects(client.resourceFor("v1", "Pod"), { code: "KUBE_SERVER" });
    transport.answer(() => core);
    equal((await client.resourceFor("v1", "Pod")).plural, "pods");
  });

  test("a path that is gone makes it forget the group version", async () => {
    const paths: Record<string, ScriptedAnswer> = { "/apis/x.io/v1": widgets("Widget") };
    const { client, asked } = setUp(paths);
    const widget = await client.resourceFor("x.io/v1", "Widget");
    await rejects(client.list(widget), { code: "KUBE_NOT_FOUND" });
    await client.resourceFor("x.io/v1", "Widget");
    deepEqual(asked().filter((path) => path === "/apis/x.io/v1").length, 2);
  });

  test("an object that is gone does not", async () => {
    const details = { name: "w", kind: "widgets" };
    const { client, asked } = setUp({
      "/apis/x.io/v1": widgets("Widget"),
      "/apis/x.io/v1/namespaces/a/widgets/w": { status: 404, body: { kind: "Status", reason: "NotFound", details } },
    });
    const resource = await client.resourceFor("x.io/v1", "Widget");
    await rejects(client.get({ resource, namespace: "a", name: "w" }), { code: "KUBE_NOT_FOUND" });
    await client.resourceFor("x.io/v1", "Widget");
    deepEqual(asked().filter((path) => path === "/apis/x.io/v1").length, 1);
  });
});

describe("serverInfo", () => {
  const version: ScriptedAnswer = { body: { gitVersion: "v1.35.2" } };
  const aggregated = (group: string, ...kinds: string[]): object => ({
    metadata: group === "" ? {} : { name: group },
    versions: [
      {
        version: "v1",
        resources: kinds.map((kind) => ({
          resource: `${kind.toLowerCase()}s`,
          responseKind: { kind },
          scope: "Namespaced",
        })),
      },
    ],
  });
  const list = (...items: object[]): ScriptedAnswer => ({ body: { kind: "APIGroupDiscoveryList", items } });

  test("comes from aggregated discovery in three requests, and is kept for ten minutes", async () => {
    const { client, asked, clock } = setUp({
      "/version": version,
      "/api": list(aggregated("", "Pod")),
      "/apis": list(aggregated("apps", "Deployment")),
    });
    const apiVersions = ["apps/v1", "apps/v1/Deployment", "v1", "v1/Pod"];
    const expected = { gitVersion: "v1.35.2", apiVersions, complete: true };
    deepEqual(await client.serverInfo(), expected);
    deepEqual(await client.serverInfo(), expected);
    equal(asked().length, 3);
    await clock.advance(600_000);
    await client.serverInfo();
    equal(asked().length, 6);
  });

  test("comes from plain discovery where a server has no other, whatever group of it is down", async () => {
    const { client } = setUp({
      "/version": version,
      "/api": { body: { kind: "APIVersions", versions: ["v1"] } },
      "/apis": {
        body: {
          kind: "APIGroupList",
          groups: [{ versions: [{ groupVersion: "down.io/v1" }] }, { versions: [{ groupVersion: "x.io/v1" }] }],
        },
      },
      "/api/v1": core,
      "/apis/down.io/v1": { status: 503, body: {} },
      "/apis/x.io/v1": widgets("Widget"),
    });
    deepEqual((await client.serverInfo()).apiVersions, ["v1", "v1/Node", "v1/Pod", "x.io/v1", "x.io/v1/Widget"]);
    equal((await client.serverInfo()).complete, false);
  });

  test("is not complete where aggregated discovery says that a group is stale", async () => {
    const stale = { metadata: { name: "down.io" }, versions: [{ version: "v1", freshness: "Stale", resources: [] }] };
    const { client } = setUp({
      "/version": version,
      "/api": list(aggregated("", "Pod")),
      "/apis": list(aggregated("apps", "Deployment"), stale),
    });
    equal((await client.serverInfo()).complete, false);
  });

  test("is read again after this client has written a CRD, and after a failure", async () => {
    const crds = builtIn.customResourceDefinitions;
    const crd: AnyObject = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: crds.kind,
      metadata: { name: "widgets.x.io" },
    };
    const paths: Record<string, ScriptedAnswer> = {
      "/version": { status: 500, body: {} },
      "/api": list(),
      "/apis": list(),
    };
    const { client } = setUp(paths);
    await rejects(client.serverInfo(), { code: "KUBE_SERVER" });
    paths["/version"] = version;
    deepEqual((await client.serverInfo()).apiVersions, []);
    paths["/apis/apiextensions.k8s.io/v1/customresourcedefinitions"] = { status: 201, body: crd };
    paths["/apis"] = list(aggregated("x.io", "Widget"));
    await client.create(crds, crd);
    deepEqual((await client.serverInfo()).apiVersions, ["x.io/v1", "x.io/v1/Widget"]);
  });
});
