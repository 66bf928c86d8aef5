import type { ConformanceCase, Step } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const created: Step = {
  request: `POST ${maps}?fieldManager=maker`,
  body: { metadata: { name: "one", labels: { a: "b" } }, data: { a: "1", b: "2" } },
  save: { rv: "metadata.resourceVersion" },
  only: ["metadata.name"],
};
const patch = (name: string, type: string, body: unknown, query = ""): ConformanceCase => ({
  name,
  steps: [created, { request: `PATCH ${maps}/one?fieldManager=patcher${query}`, type: `application/${type}`, body }],
});
/** Texts that quote the whole object in each server's own order are left out. */
const unquoted = ({ name, steps }: ConformanceCase): ConformanceCase => ({
  name,
  steps: steps.map((step, index) =>
    index === 0 ? step : { ...step, only: ["code", "reason", "details.causes.0.field"] },
  ),
});
const merge = (name: string, body: unknown, query = ""): ConformanceCase =>
  patch(`merge patch: ${name}`, "merge-patch+json", body, query);
const json = (name: string, body: unknown): ConformanceCase => patch(`JSON patch: ${name}`, "json-patch+json", body);
const container = (name: string, more: object = {}): object => ({ name, image: `${name}:1`, ...more });
const deployed: Step = {
  request: `POST ${deployments}?fieldManager=maker`,
  body: {
    metadata: { name: "d" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: "b" } },
      template: {
        metadata: { labels: { a: "b" } },
        spec: {
          containers: [
            container("one", {
              env: [
                { name: "A", value: "1" },
                { name: "B", value: "2" },
              ],
              ports: [{ containerPort: 80 }],
              args: ["x", "y"],
            }),
            container("two"),
          ],
          volumes: [
            { name: "v", emptyDir: {} },
            { name: "w", emptyDir: {} },
          ],
        },
      },
    },
  },
  only: ["metadata.name"],
};
const podSpec = "spec.template.spec";
const strategic = (
  name: string,
  spec: unknown,
  only: readonly string[] = [podSpec, "message", "code"],
): ConformanceCase => ({
  name: `strategic patch: ${name}`,
  steps: [
    deployed,
    {
      request: `PATCH ${deployments}/d?fieldManager=patcher`,
      type: "application/strategic-merge-patch+json",
      body: { spec: { template: { spec } } },
      only,
    },
  ],
});

/** The three classic patches. */
export const patches: readonly ConformanceCase[] = [
  merge("adds, changes and removes fields", { data: { a: "9", b: null, c: "3" } }),
  merge("sets labels", { metadata: { labels: { x: "y" } } }),
  merge("removes everything", { data: null }),
  merge("changes nothing", { data: { a: "1" } }),
  merge("changes nothing at all", {}),
  merge("refuses a text", '"x"'),
  merge("refuses a list", []),
  unquoted(merge("refuses broken JSON", "{")),
  merge("keeps the name", { metadata: { name: "two" } }),
  merge("keeps the namespace", { metadata: { namespace: "default" } }),
  merge("keeps the uid", { metadata: { uid: "11111111-1111-1111-1111-111111111111" } }),
  unquoted(merge("keeps the kind", { kind: "Secret" })),
  merge("ignores generation", { metadata: { generation: 5 } }),
  merge("warns of unknown fields", { foo: 1 }),
  unquoted(merge("refuses unknown fields when strict", { foo: 1 }, "&fieldValidation=Strict")),
  unquoted(merge("refuses a wrong type", { data: { a: 1 } })),
  merge("refuses invalid labels", { metadata: { labels: { "a b": "c" } } }),
  merge("goes with the right version", { metadata: { resourceVersion: "{rv}" }, data: { a: "9" } }),
  merge("refuses an old version", { metadata: { resourceVersion: "1" }, data: { a: "9" } }),
  merge("dry runs", { data: { a: "9" } }, "&dryRun=All"),
  {
    name: "merge patch: knows no absent object",
    steps: [{ request: `PATCH ${maps}/absent`, type: "application/merge-patch+json", body: {} }],
  },
  json("adds", [{ op: "add", path: "/data/c", value: "3" }]),
  json("replaces", [{ op: "replace", path: "/data/a", value: "9" }]),
  json("removes", [{ op: "remove", path: "/data/a" }]),
  json("moves", [{ op: "move", from: "/data/a", path: "/data/z" }]),
  json("copies", [{ op: "copy", from: "/data/a", path: "/data/z" }]),
  json("tests and goes on", [
    { op: "test", path: "/data/a", value: "1" },
    { op: "replace", path: "/data/a", value: "9" },
  ]),
  json("tests and stops", [
    { op: "test", path: "/data/a", value: "5" },
    { op: "replace", path: "/data/a", value: "9" },
  ]),
  json("escapes slashes", [
    { op: "add", path: "/metadata/annotations", value: {} },
    { op: "add", path: "/metadata/annotations/a.b~1c", value: "d" },
  ]),
  json("refuses an absent parent", [{ op: "add", path: "/spec/x", value: 1 }]),
  json("refuses to remove what is absent", [{ op: "remove", path: "/data/z" }]),
  json("refuses to replace what is absent", [{ op: "replace", path: "/data/z", value: "1" }]),
  json("refuses an unknown operation", [{ op: "twist", path: "/data/a" }]),
  json("refuses an operation without path", [{ op: "remove" }]),
  json("refuses a relative path", [{ op: "remove", path: "data/a" }]),
  json("does nothing", []),
  json("refuses an object", { op: "add" }),
  json("adds to a list", [
    { op: "add", path: "/metadata/finalizers", value: ["a.b/c"] },
    { op: "add", path: "/metadata/finalizers/-", value: "d.e/f" },
    { op: "add", path: "/metadata/finalizers/0", value: "g.h/i" },
  ]),
  json("refuses an index with a leading zero", [
    { op: "add", path: "/metadata/finalizers", value: ["a.b/c"] },
    { op: "add", path: "/metadata/finalizers/00", value: "d.e/f" },
  ]),
  json("refuses an index beyond the end", [
    { op: "add", path: "/metadata/finalizers", value: ["a.b/c"] },
    { op: "add", path: "/metadata/finalizers/5", value: "d.e/f" },
  ]),
  {
    name: "JSON patch: clears finalizers",
    steps: [
      created,
      {
        request: `PATCH ${maps}/one`,
        type: "application/merge-patch+json",
        body: { metadata: { finalizers: ["a.b/c"] } },
        only: ["metadata.finalizers"],
      },
      {
        request: `PATCH ${maps}/one`,
        type: "application/json-patch+json",
        body: [{ op: "remove", path: "/metadata/finalizers" }],
        only: ["metadata.finalizers"],
      },
    ],
  },
  patch("refuses a patch of an unknown type", "something+json", {}),
  patch("refuses a patch as plain JSON", "json", {}),
  strategic("changes a container by name", { containers: [{ name: "two", image: "two:2" }] }),
  strategic("adds a container", { containers: [container("three")] }),
  strategic("removes a container", { containers: [{ name: "one", $patch: "delete" }] }),
  strategic("replaces containers", { containers: [{ $patch: "replace" }, container("new")] }),
  strategic("merges env by name", {
    containers: [
      {
        name: "one",
        env: [
          { name: "B", value: "9" },
          { name: "C", value: "3" },
        ],
      },
    ],
  }),
  strategic("removes an env entry", { containers: [{ name: "one", env: [{ name: "A", $patch: "delete" }] }] }),
  strategic("replaces args", { containers: [{ name: "one", args: ["z"] }] }),
  strategic("removes a field", { containers: [{ name: "one", args: null }] }),
  strategic("orders containers", {
    containers: [{ name: "two" }],
    "$setElementOrder/containers": [{ name: "two" }, { name: "one" }],
  }),
  strategic("orders alone", { "$setElementOrder/containers": [{ name: "two" }, { name: "one" }] }),
  strategic("retains keys of a volume", {
    volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/x" } }],
  }),
  strategic("merges volumes by name", { volumes: [{ name: "x", configMap: { name: "y" } }] }),
  strategic("refuses items without merge key", { containers: [{ image: "x" }] }, ["code", "reason", "message"]),
  strategic("refuses an unknown directive", { containers: [{ name: "one", $patch: "explode" }] }, ["code", "reason"]),
  {
    name: "strategic patch: adds a finalizer",
    steps: [
      created,
      ...[["a.b/c"], ["d.e/f"]].map(
        (finalizers): Step => ({
          request: `PATCH ${maps}/one`,
          type: "application/strategic-merge-patch+json",
          body: { metadata: { finalizers } },
          only: ["metadata.finalizers"],
        }),
      ),
      {
        request: `PATCH ${maps}/one`,
        type: "application/strategic-merge-patch+json",
        body: { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.b/c"] } },
        only: ["metadata.finalizers"],
      },
      {
        request: `PATCH ${maps}/one`,
        type: "application/merge-patch+json",
        body: { metadata: { finalizers: null } },
        only: ["metadata.finalizers"],
      },
    ],
  },
  {
    name: "raises the generation with the spec only",
    steps: [
      deployed,
      {
        request: `PATCH ${deployments}/d`,
        type: "application/merge-patch+json",
        body: { metadata: { labels: { a: "b" } } },
        only: ["metadata.generation"],
      },
      {
        request: `PATCH ${deployments}/d`,
        type: "application/merge-patch+json",
        body: { spec: { revisionHistoryLimit: 3 } },
        only: ["metadata.generation"],
      },
      {
        request: `PATCH ${deployments}/d`,
        type: "application/merge-patch+json",
        body: { status: { replicas: 3 } },
        only: ["metadata.generation", "code"],
      },
    ],
  },
  {
    name: "writes status by its subresource",
    steps: [
      deployed,
      {
        request: `PATCH ${deployments}/d/status`,
        type: "application/merge-patch+json",
        body: { status: { replicas: 3, collisionCount: 1 }, spec: { replicas: 7 } },
        only: ["spec.replicas", "status.replicas", "status.collisionCount", "metadata.generation"],
      },
    ],
  },
  {
    name: "scales by its subresource",
    steps: [
      deployed,
      {
        request: `GET ${deployments}/d/scale`,
        only: ["kind", "apiVersion", "spec", "status.selector", "metadata.name"],
      },
      {
        request: `PATCH ${deployments}/d/scale`,
        type: "application/merge-patch+json",
        body: { spec: { replicas: 0 } },
        only: ["kind", "spec"],
      },
      {
        request: `PUT ${deployments}/d/scale`,
        body: {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "d", namespace: "{ns}" },
          spec: { replicas: -1 },
        },
      },
    ],
  },
  {
    name: "refuses to change a selector",
    steps: [
      deployed,
      {
        request: `PATCH ${deployments}/d`,
        type: "application/merge-patch+json",
        body: { spec: { selector: { matchLabels: { a: "c" } }, template: { metadata: { labels: { a: "c" } } } } },
      },
    ],
  },
];
