import type { ConformanceCase, RequestStep, Step } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const type = "application/apply-patch+yaml";
const apply = (manager: string, data: Record<string, string> | undefined, more: object = {}, query = ""): Step => ({
  request: `PATCH ${maps}/one?fieldManager=${manager}${query}`,
  type,
  body: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "one", ...more },
    ...(data === undefined ? {} : { data }),
  },
});
const deployment = (spec: object, podSpec: object): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    replicas: 0,
    selector: { matchLabels: { a: "b" } },
    ...spec,
    template: { metadata: { labels: { a: "b" } }, spec: podSpec },
  },
});
const deploy = (manager: string, body: object, query = ""): RequestStep => ({
  request: `PATCH ${deployments}/d?fieldManager=${manager}${query}`,
  type,
  body,
});
const containers = (...names: readonly string[]): object => ({
  containers: names.map((name) => ({ name, image: `${name}:1` })),
});

/** Leaves out what the controller of Deployments adds in between. */
const mine = (steps: readonly RequestStep[]): readonly Step[] =>
  steps.map((step) => ({ ...step, only: ["spec.template.spec.containers", "metadata.managedFields.0", "message"] }));

/** Server-side apply. */
export const applies: readonly ConformanceCase[] = [
  { name: "apply creates", steps: [apply("a", { x: "1" })] },
  {
    name: "apply needs a manager",
    steps: [
      { request: `PATCH ${maps}/one`, type, body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } } },
    ],
  },
  { name: "apply adds a field", steps: [apply("a", { x: "1" }), apply("a", { x: "1", y: "2" })] },
  { name: "apply removes what it leaves out", steps: [apply("a", { x: "1", y: "2" }), apply("a", { x: "1" })] },
  { name: "apply removes everything", steps: [apply("a", { x: "1" }), apply("a", undefined)] },
  {
    name: "apply twice changes nothing",
    steps: [
      { ...apply("a", { x: "1" }), save: { rv: "metadata.resourceVersion" } },
      apply("a", { x: "1" }),
      {
        request: `PUT ${maps}/one`,
        body: { metadata: { name: "one", resourceVersion: "{rv}" }, data: { x: "1" } },
        only: ["code", "kind"],
      },
    ],
  },
  { name: "two appliers of different fields", steps: [apply("a", { x: "1" }), apply("b", { y: "2" })] },
  { name: "two appliers of one value share it", steps: [apply("a", { x: "1" }), apply("b", { x: "1" })] },
  {
    name: "a shared value stays when one leaves it out",
    steps: [apply("a", { x: "1" }), apply("b", { x: "1" }), apply("a", undefined)],
  },
  { name: "two appliers of one field conflict", steps: [apply("a", { x: "1" }), apply("b", { x: "2" })] },
  {
    name: "several conflicts are listed",
    steps: [apply("a", { x: "1", y: "1" }), apply("c", { z: "1" }), apply("b", { x: "2", y: "2", z: "2" })],
  },
  { name: "force takes a field", steps: [apply("a", { x: "1" }), apply("b", { x: "2" }, {}, "&force=true")] },
  {
    name: "an updater is asked, too",
    steps: [
      { request: `POST ${maps}?fieldManager=u`, body: { metadata: { name: "one" }, data: { x: "1" } } },
      apply("a", { x: "2" }),
    ],
  },
  {
    name: "an updater's equal value is shared",
    steps: [
      { request: `POST ${maps}?fieldManager=u`, body: { metadata: { name: "one" }, data: { x: "1" } } },
      apply("a", { x: "1" }),
    ],
  },
  {
    name: "an update takes from an applier",
    steps: [
      apply("a", { x: "1" }),
      { request: `PUT ${maps}/one?fieldManager=u`, body: { metadata: { name: "one" }, data: { x: "2" } } },
    ],
  },
  {
    name: "an applier gets its field back by force",
    steps: [
      apply("a", { x: "1" }),
      { request: `PUT ${maps}/one?fieldManager=u`, body: { metadata: { name: "one" }, data: { x: "2" } } },
      apply("a", { x: "1" }),
      apply("a", { x: "1" }, {}, "&force=true"),
    ],
  },
  {
    name: "apply owns labels",
    steps: [
      apply("a", undefined, { labels: { l: "1" }, annotations: { n: "2" } }),
      apply("a", undefined, { labels: { m: "1" } }),
    ],
  },
  {
    name: "apply owns finalizers as a set",
    steps: [
      apply("a", undefined, { finalizers: ["a.b/c"] }),
      apply("b", undefined, { finalizers: ["d.e/f"] }),
      apply("a", undefined),
      apply("b", undefined),
    ],
  },
  {
    name: "apply owns owners by uid",
    steps: [
      apply("a", undefined, {
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "x", uid: "11111111-1111-1111-1111-111111111111" }],
      }),
    ],
  },
  {
    name: "apply reads YAML",
    steps: [
      {
        request: `PATCH ${maps}/one?fieldManager=a`,
        type,
        body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  x: 'yes'\n",
      },
    ],
  },
  {
    name: "apply refuses broken YAML",
    steps: [{ request: `PATCH ${maps}/one?fieldManager=a`, type, body: "a: [", only: ["code", "reason"] }],
  },
  {
    name: "apply refuses managed fields",
    steps: [
      apply(
        "a",
        { x: "1" },
        {
          managedFields: [{ manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: {} }],
        },
      ),
    ],
  },
  {
    name: "apply refuses another name",
    steps: [
      {
        request: `PATCH ${maps}/one?fieldManager=a`,
        type,
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "two" } },
      },
    ],
  },
  {
    name: "apply takes the name of the path",
    steps: [{ request: `PATCH ${maps}/one?fieldManager=a`, type, body: { apiVersion: "v1", kind: "ConfigMap" } }],
  },
  {
    name: "apply refuses another kind",
    steps: [
      {
        request: `PATCH ${maps}/one?fieldManager=a`,
        type,
        body: { apiVersion: "v1", kind: "Secret", metadata: { name: "one" } },
      },
    ],
  },
  {
    name: "apply refuses an absent version",
    steps: [
      { request: `PATCH ${maps}/one?fieldManager=a`, type, body: { kind: "ConfigMap", metadata: { name: "one" } } },
    ],
  },
  {
    name: "apply refuses an absent kind",
    steps: [
      { request: `PATCH ${maps}/one?fieldManager=a`, type, body: { apiVersion: "v1", metadata: { name: "one" } } },
    ],
  },
  {
    name: "apply refuses unknown fields",
    steps: [
      {
        request: `PATCH ${maps}/one?fieldManager=a`,
        type,
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, foo: 1 },
      },
    ],
  },
  {
    name: "apply refuses a wrong type",
    steps: [
      {
        request: `PATCH ${maps}/one?fieldManager=a`,
        type,
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: "x" },
      },
    ],
  },
  { name: "apply refuses an invalid object", steps: [apply("a", { "a b": "1" })] },
  {
    name: "apply with an old version conflicts",
    steps: [apply("a", { x: "1" }), apply("a", { x: "2" }, { resourceVersion: "1" })],
  },
  {
    name: "apply with another uid conflicts",
    steps: [apply("a", { x: "1" }), apply("a", { x: "2" }, { uid: "11111111-1111-1111-1111-111111111111" })],
  },
  {
    name: "apply with a uid does not create",
    steps: [apply("a", { x: "1" }, { uid: "11111111-1111-1111-1111-111111111111" })],
  },
  {
    name: "apply dry runs",
    steps: [apply("a", { x: "1" }, {}, "&dryRun=All"), { request: `GET ${maps}/one`, only: ["code"] }],
  },
  {
    name: "apply in an absent namespace",
    steps: [
      {
        request: "PATCH /api/v1/namespaces/absent-{ns}/configmaps/one?fieldManager=a",
        type,
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } },
      },
    ],
  },
  { name: "apply creates a Deployment", steps: [deploy("a", deployment({}, containers("one")))] },
  {
    name: "apply owns containers by name",
    steps: mine([
      deploy("a", deployment({}, containers("one"))),
      deploy("b", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { template: { spec: containers("two") } },
      }),
    ]),
  },
  {
    name: "apply removes a container",
    steps: mine([
      deploy("a", deployment({}, containers("one", "two"))),
      deploy("a", deployment({}, containers("two"))),
    ]),
  },
  {
    name: "apply reorders containers",
    steps: mine([
      deploy("a", deployment({}, containers("one", "two"))),
      deploy("a", deployment({}, containers("two", "one"))),
    ]),
  },
  {
    name: "apply keeps replicas that another scales",
    steps: [
      deploy("a", deployment({}, containers("one"))),
      {
        request: `PATCH ${deployments}/d/scale?fieldManager=s`,
        type: "application/merge-patch+json",
        body: { spec: { replicas: 1 } },
        only: ["spec"],
      },
      deploy("a", deployment({}, containers("one"))),
    ],
  },
  {
    name: "apply owns ports by number and protocol",
    steps: mine([
      deploy(
        "a",
        deployment(
          {},
          {
            containers: [
              { name: "one", image: "i", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] },
            ],
          },
        ),
      ),
      deploy("b", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: {
          template: {
            spec: { containers: [{ name: "one", ports: [{ containerPort: 80, protocol: "TCP", name: "web" }] }] },
          },
        },
      }),
    ]),
  },
  { name: "apply refuses two items of one key", steps: [deploy("a", deployment({}, containers("one", "one")))] },
  { name: "apply refuses an item without key", steps: [deploy("a", deployment({}, { containers: [{ image: "i" }] }))] },
  {
    name: "apply owns atomic lists as a whole",
    steps: [
      deploy("a", deployment({}, { containers: [{ name: "one", image: "i", args: ["x", "y"] }] })),
      deploy("b", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { template: { spec: { containers: [{ name: "one", args: ["z"] }] } } },
      }),
    ],
  },
  {
    name: "apply writes status",
    steps: [
      deploy("a", deployment({}, containers("one"))),
      {
        request: `PATCH ${deployments}/d/status?fieldManager=s`,
        type,
        body: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, status: { collisionCount: 4 } },
        only: ["status.collisionCount", "metadata.managedFields.1.subresource", "metadata.managedFields.1.fieldsV1"],
      },
    ],
  },
  {
    name: "apply does not own status on the object",
    steps: [
      {
        ...deploy("a", { ...deployment({}, containers("one")), status: { collisionCount: 4 } }),
        only: ["status", "metadata.managedFields"],
      },
    ],
  },
  {
    name: "apply owns a Service's ports",
    steps: [
      {
        request: "PATCH /api/v1/namespaces/{ns}/services/s?fieldManager=a",
        type,
        body: { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } },
        only: ["metadata.managedFields"],
      },
      {
        request: "PATCH /api/v1/namespaces/{ns}/services/s?fieldManager=b",
        type,
        body: {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "s" },
          spec: { ports: [{ port: 81, name: "x", protocol: "TCP" }] },
        },
        only: ["spec.ports", "details.causes", "message"],
      },
    ],
  },
  {
    name: "apply sets Secret data from texts",
    steps: [
      {
        request: "PATCH /api/v1/namespaces/{ns}/secrets/s?fieldManager=a",
        type,
        body: { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { a: "b" } },
      },
    ],
  },
  {
    name: "an update after an apply splits ownership",
    steps: [
      apply("a", { x: "1" }),
      { request: `PATCH ${maps}/one?fieldManager=a`, type: "application/merge-patch+json", body: { data: { y: "2" } } },
    ],
  },
];
