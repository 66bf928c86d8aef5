import type { ConformanceCase, RequestStep } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const post = (body: unknown, type?: string, only?: readonly string[]): RequestStep => ({
  request: `POST ${maps}`,
  body,
  ...(type === undefined ? {} : { type }),
  ...(only === undefined ? {} : { only }),
});
const rough = ["kind", "status", "reason", "code"];
const pod = { containers: [{ name: "c", image: "i" }] };
const deployment = (spec: object): object => ({
  metadata: { name: "d" },
  spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: pod }, ...spec },
});
const deploy = (name: string, body: unknown, query = ""): ConformanceCase => ({
  name,
  steps: [{ request: `POST ${deployments}?dryRun=All${query}`, body }],
});

/** What a client does wrong: media types, bodies, fields. */
export const errors: readonly ConformanceCase[] = [
  { name: "refuses malformed JSON", steps: [post("{", undefined, rough)] },
  { name: "refuses an empty body", steps: [post("", undefined, rough)] },
  { name: "refuses a list as object", steps: [post([], undefined, rough)] },
  { name: "refuses a text as object", steps: [post('"x"', undefined, rough)] },
  { name: "refuses null as object", steps: [post("null", undefined, rough)] },
  { name: "refuses an unknown media type", steps: [post("a=b", "application/x-www-form-urlencoded")] },
  { name: "refuses text", steps: [post("a", "text/plain")] },
  {
    name: "reads YAML",
    steps: [post("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\ndata: {a: 'yes'}\n", "application/yaml")],
  },
  { name: "refuses malformed YAML", steps: [post("a: [", "application/yaml", rough)] },
  {
    name: "writes YAML",
    steps: [
      post({ metadata: { name: "y" }, data: { a: "1" } }),
      { request: `GET ${maps}/y`, headers: { accept: "application/yaml" } },
    ],
  },
  {
    name: "accepts anything",
    steps: [post({ metadata: { name: "y" } }), { request: `GET ${maps}/y`, headers: { accept: "*/*" } }],
  },
  { name: "refuses to answer in HTML", steps: [{ request: `GET ${maps}`, headers: { accept: "text/html" } }] },
  {
    name: "refuses an unknown transformation",
    steps: [
      {
        request: `GET ${maps}`,
        headers: { accept: "application/json;as=Picture;g=meta.k8s.io;v=v1" },
        only: ["code", "reason"],
      },
    ],
  },
  {
    name: "falls back to the second type",
    steps: [
      {
        request: `GET ${maps}/none`,
        headers: { accept: "application/json;as=Picture;g=meta.k8s.io;v=v1,application/json" },
      },
    ],
  },
  { name: "refuses a number as text", steps: [post({ metadata: { name: "x" }, data: { a: 1 } })] },
  { name: "refuses a text as metadata", steps: [post({ metadata: "x" })] },
  { name: "refuses a number as name", steps: [post({ metadata: { name: 5 } })] },
  { name: "refuses a list as labels", steps: [post({ metadata: { name: "x", labels: [] } })] },
  { name: "ignores an unknown field", steps: [post({ metadata: { name: "x" }, foo: 1 })] },
  {
    name: "passes an unknown field silently",
    steps: [{ request: `POST ${maps}?fieldValidation=Ignore`, body: { metadata: { name: "x" }, foo: 1 } }],
  },
  {
    name: "warns of an unknown field",
    steps: [
      { request: `POST ${maps}?fieldValidation=Warn`, body: { metadata: { name: "x" }, foo: 1, bar: { baz: 1 } } },
    ],
  },
  {
    name: "refuses an unknown field",
    steps: [
      {
        request: `POST ${maps}?fieldValidation=Strict`,
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, foo: 1 },
      },
    ],
  },
  {
    name: "refuses several unknown fields",
    steps: [
      {
        request: `POST ${maps}?fieldValidation=Strict`,
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", bar: 2 }, foo: 1 },
      },
    ],
  },
  {
    name: "refuses a double field",
    steps: [
      {
        request: `POST ${maps}?fieldValidation=Strict`,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"1","a":"2"}}',
      },
    ],
  },
  {
    name: "warns of a double field",
    steps: [
      {
        request: `POST ${maps}?fieldValidation=Warn`,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","name":"y"}}',
      },
    ],
  },
  {
    name: "refuses an unknown validation",
    steps: [{ request: `POST ${maps}?fieldValidation=Loose`, body: { metadata: { name: "x" } } }],
  },
  {
    name: "refuses a large body",
    steps: [
      {
        ...post({ metadata: { name: "x" }, data: { a: "x".repeat(3 * 1024 * 1024) } }),
        only: ["code", "reason", "message"],
      },
    ],
  },
  {
    name: "refuses a large map",
    steps: [
      {
        ...post({ metadata: { name: "x" }, data: { a: "x".repeat(1024 * 1024 + 1) } }),
        only: ["code", "reason", "details.causes"],
      },
    ],
  },
  deploy("refuses a Deployment without spec", { metadata: { name: "d" } }),
  deploy("refuses a Deployment with empty spec", { metadata: { name: "d" }, spec: {} }),
  deploy("refuses a selector that does not match", deployment({ selector: { matchLabels: { x: "y" } } })),
  deploy("refuses an empty selector", deployment({ selector: {} })),
  deploy("refuses negative replicas", deployment({ replicas: -1 })),
  deploy("refuses replicas as text", deployment({ replicas: "two" })),
  deploy("refuses fractional replicas", deployment({ replicas: 1.5 })),
  deploy(
    "refuses an object for a list",
    deployment({ template: { metadata: { labels: { a: "b" } }, spec: { containers: {} } } }),
  ),
  deploy(
    "refuses no containers",
    deployment({ template: { metadata: { labels: { a: "b" } }, spec: { containers: [] } } }),
  ),
  deploy(
    "refuses a container without name",
    deployment({ template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ image: "i" }] } } }),
  ),
  deploy(
    "refuses a container without image",
    deployment({ template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c" }] } } }),
  ),
  deploy(
    "refuses two containers of one name",
    deployment({
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [...pod.containers, ...pod.containers] } },
    }),
  ),
  deploy(
    "refuses an unknown pull policy",
    deployment({
      template: {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "c", image: "i", imagePullPolicy: "Often" }] },
      },
    }),
  ),
  deploy(
    "refuses an unknown restart policy",
    deployment({ template: { metadata: { labels: { a: "b" } }, spec: { ...pod, restartPolicy: "Never" } } }),
  ),
  deploy("refuses an unknown strategy", deployment({ strategy: { type: "Slowly" } })),
  deploy(
    "refuses a port out of range",
    deployment({
      template: {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 99999 }] }] },
      },
    }),
  ),
  deploy(
    "refuses a bad quantity",
    deployment({
      template: {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "lots" } } }] },
      },
    }),
  ),
  deploy(
    "refuses requests above limits",
    deployment({
      template: {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }] },
      },
    }),
  ),
  deploy(
    "refuses a mount without volume",
    deployment({
      template: {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] }] },
      },
    }),
  ),
  deploy(
    "refuses a bad container name",
    deployment({ template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "C_", image: "i" }] } } }),
  ),
  deploy(
    "refuses a deep unknown field",
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      ...deployment({
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i", imag: "x" }] } },
      }),
    },
    "&fieldValidation=Strict",
  ),
  {
    name: "refuses a Service without ports",
    steps: [{ request: "POST /api/v1/namespaces/{ns}/services", body: { metadata: { name: "s" }, spec: {} } }],
  },
  {
    name: "refuses a port of zero",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/services",
        body: { metadata: { name: "s" }, spec: { ports: [{ port: 0 }] } },
      },
    ],
  },
  {
    name: "refuses ports without names",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/services",
        body: { metadata: { name: "s" }, spec: { ports: [{ port: 1 }, { port: 2 }] } },
      },
    ],
  },
  {
    name: "refuses a TLS Secret without key",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/secrets",
        body: { metadata: { name: "s" }, type: "kubernetes.io/tls", data: {} },
      },
    ],
  },
  {
    name: "refuses Secret data that is no base64",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/secrets",
        body: { metadata: { name: "s" }, data: { a: "!!!" } },
        only: ["code", "reason"],
      },
    ],
  },
  {
    name: "keeps the type of a Secret",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/secrets",
        body: { metadata: { name: "s" }, type: "a/b" },
        only: ["type"],
      },
      { request: "PUT /api/v1/namespaces/{ns}/secrets/s", body: { metadata: { name: "s" }, type: "a/c" } },
    ],
  },
  {
    name: "refuses a Role with an empty rule",
    steps: [
      {
        request: "POST /apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles",
        body: { metadata: { name: "r" }, rules: [{}] },
      },
    ],
  },
  {
    name: "refuses a RoleBinding without role",
    steps: [
      {
        request: "POST /apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
        body: { metadata: { name: "r" }, subjects: [] },
      },
    ],
  },
  {
    name: "refuses a Lease of no duration",
    steps: [
      {
        request: "POST /apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
        body: { metadata: { name: "l" }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
      },
    ],
  },
  {
    name: "refuses a Lease time without fractions",
    steps: [
      {
        request: "POST /apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
        body: { metadata: { name: "l" }, spec: { renewTime: "2026-01-01T00:00:00Z" } },
      },
    ],
  },
  {
    name: "refuses a Job that restarts for ever",
    steps: [
      {
        request: "POST /apis/batch/v1/namespaces/{ns}/jobs?dryRun=All",
        body: { metadata: { name: "j" }, spec: { template: { spec: pod } } },
      },
    ],
  },
  {
    name: "refuses an Ingress without backend",
    steps: [
      {
        request: "POST /apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
        body: { metadata: { name: "i" }, spec: {} },
      },
    ],
  },
  {
    name: "refuses a claim without size",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/persistentvolumeclaims",
        body: { metadata: { name: "p" }, spec: { accessModes: ["ReadWriteOnce"] } },
      },
    ],
  },
  { name: "refuses a wrong token", steps: [{ request: `GET ${maps}`, headers: { authorization: "Bearer wrong" } }] },
  {
    name: "refuses basic authorization",
    steps: [{ request: `GET ${maps}`, headers: { authorization: "Basic YTpi" } }],
  },
  ...["timeoutSeconds=soon", "limit=1.5", "watch=1&timeoutSeconds=soon"].map((query) => ({
    name: `refuses ?${query}`,
    steps: [{ request: `GET ${maps}?${query}` }],
  })),
  {
    name: "refuses a manager that can't be printed",
    steps: [
      {
        request: `POST ${maps}?fieldManager=%C3%A4b%E2%80%8B`,
        body: { metadata: { name: "m" } },
        only: ["code", "reason"],
      },
    ],
  },
  ...[";;;", "application/json; charset"].map((type) => ({
    name: `refuses the content type ${type}`,
    steps: [{ request: `POST ${maps}`, headers: { "content-type": type }, body: { metadata: { name: "m" } } }],
  })),
];
