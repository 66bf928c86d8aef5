import { equal } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { array, asyncProperty, assert as check, constantFrom, json, oneof, record, string } from "fast-check";
import { type ApiServer, startApiServer } from "./index.ts";

let server: ApiServer;
const faults: string[] = [];
beforeAll(async () => {
  server = await startApiServer({
    listen: false,
    workload: false,
    onFault: (where, error) => faults.push(`${where}: ${String(error)}`),
    crds: [
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "things.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "things", kind: "Thing" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
              schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          ],
        },
      },
    ],
  });
});
afterAll(() => server.stop());

const collections = [
  "/api/v1/namespaces/default/configmaps",
  "/api/v1/namespaces/default/secrets",
  "/api/v1/namespaces/default/services",
  "/api/v1/namespaces/default/pods",
  "/api/v1/namespaces",
  "/apis/apps/v1/namespaces/default/deployments",
  "/apis/apps/v1/namespaces/default/statefulsets",
  "/apis/batch/v1/namespaces/default/jobs",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  "/apis/authorization.k8s.io/v1/subjectaccessreviews",
  "/apis/authentication.k8s.io/v1/tokenreviews",
  "/apis/example.com/v1/namespaces/default/things",
  "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
  "/apis/events.k8s.io/v1/namespaces/default/events",
];
const suffix = constantFrom(
  "",
  "/x",
  "/x/status",
  "/x/scale",
  "/x/token",
  "/x/eviction",
  "/constructor",
  "/__proto__",
  "/%2e%2e",
  "/%",
);
const query = array(
  constantFrom(
    "dryRun=All",
    "fieldManager=f",
    "force=true",
    "fieldValidation=Strict",
    "limit=1",
    "continue=eyJ2IjoxfQ",
    "labelSelector=a%3Db,!c",
    "labelSelector=)(",
    "fieldSelector=metadata.name%3Dx",
    "resourceVersion=1",
    "resourceVersion=abc",
    "gracePeriodSeconds=0",
    "propagationPolicy=Foreground",
  ),
  { maxLength: 3 },
).map((parts) => parts.join("&"));
const type = constantFrom(
  "application/json",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
);
const accept = constantFrom(
  "application/json",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/yaml",
  "constructor/x",
  "*/*",
);

/** Fields that servers look at, with values that they do not expect there. */
const field = constantFrom(
  "metadata",
  "spec",
  "status",
  "name",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
  "managedFields",
  "template",
  "selector",
  "matchLabels",
  "containers",
  "replicas",
  "ports",
  "rules",
  "webhooks",
  "versions",
  "names",
  "group",
  "schema",
  "openAPIV3Schema",
  "data",
  "type",
  "scope",
  "kind",
  "apiVersion",
  "op",
  "path",
  "value",
  "$patch",
  "items",
  "roleRef",
  "subjects",
  "resourceAttributes",
  "token",
  "metrics",
  "involvedObject",
);
const leaf = oneof(
  constantFrom<unknown>(null, true, 0, -1, 1.5, "", "x", "v1", [], {}, [null], [{}], ["x"]),
  string({ maxLength: 4 }),
);
const level = (below: typeof leaf): typeof leaf =>
  oneof(
    leaf,
    array(below, { maxLength: 2 }),
    array(record({ key: field, value: below }), { maxLength: 4 }).map(toObject),
  );
const body = oneof(
  level(level(level(level(leaf)))).map((value) => JSON.stringify(value)),
  json(),
  string({ maxLength: 20 }),
);

function toObject(entries: readonly { readonly key: string; readonly value: unknown }[]): unknown {
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

describe("any request", () => {
  test("is answered without a fault of ours", async () => {
    const request = record({
      method: constantFrom("GET", "POST", "PUT", "PATCH", "DELETE"),
      path: constantFrom(...collections),
      suffix,
      query,
      type,
      accept,
      body,
    });
    await check(
      asyncProperty(
        request,
        async ({ method, path, suffix: below, query: asked, type: contentType, accept: wanted, body: text }) => {
          const response = await server.transport({
            method,
            path: `${path}${below}?${asked}`,
            headers: { "content-type": contentType, accept: wanted },
            ...(method === "GET" ? {} : { body: text }),
          });
          for await (const chunk of response.body) equal(chunk.byteLength >= 0, true);
          equal(response.status >= 200 && response.status < 600, true);
          equal(faults.join("\n"), "");
        },
      ),
      { numRuns: 4_000, interruptAfterTimeLimit: 8_000, markInterruptAsFailure: false },
    );
  });
});
