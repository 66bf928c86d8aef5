import { type Arbitrary, array, constantFrom, json, nat, oneof, record, string } from "fast-check";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";

/** One request as a stranger may send it. */
export interface StrangeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server to be asked strange things; faults of its own are told to `onFault`. */
export function startServerForStrangers(onFault: (where: string, error: unknown) => void): Promise<ApiServer> {
  return startApiServer({ listen: false, workload: false, onFault, crds: [things] });
}

const things = {
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
};

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
  "application/json",
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

/** Objects that are good but for what is put in place of one of their parts. */
const good: readonly { readonly collection: string; readonly object: unknown }[] = [
  { collection: "/api/v1/namespaces/default/configmaps", object: { data: { a: "b" }, binaryData: { c: "AA==" } } },
  {
    collection: "/api/v1/namespaces/default/services",
    object: { spec: { ports: [{ name: "http", port: 80, targetPort: "http" }], selector: { a: "b" } } },
  },
  {
    collection: "/api/v1/namespaces/default/pods",
    object: {
      spec: {
        containers: [
          {
            name: "c",
            image: "i",
            ports: [{ containerPort: 80 }],
            env: [{ name: "A", value: "b" }],
            livenessProbe: { httpGet: { path: "/", port: 80 } },
          },
        ],
        restartPolicy: "Always",
      },
    },
  },
  {
    collection: "/apis/apps/v1/namespaces/default/deployments",
    object: {
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: "b" } },
        strategy: { rollingUpdate: { maxSurge: "25%" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    },
  },
  {
    collection: "/apis/batch/v1/namespaces/default/jobs",
    object: {
      spec: { completions: 1, template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } } },
    },
  },
  {
    collection: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    object: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  },
  {
    collection: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    object: {
      metadata: { name: "as.b.c" },
      spec: {
        group: "b.c",
        scope: "Cluster",
        names: { plural: "as", kind: "A" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    properties: { n: { type: "integer" } },
                    "x-kubernetes-validations": [{ rule: "self.n > 1", message: "m" }],
                  },
                },
              },
            },
          },
        ],
      },
    },
  },
  { collection: "/apis/example.com/v1/namespaces/default/things", object: { spec: { n: 1 }, status: { n: 1 } } },
];

const goodObject = record({
  which: constantFrom(...good),
  at: nat(40),
  value: level(level(leaf)),
  name: constantFrom("x", "y"),
}).map(({ which: { collection, object }, at, value, name }) => ({
  collection,
  text: JSON.stringify(replaced({ metadata: { name }, ...(object as object) }, at, value)),
}));

/** A copy with the node of that number, counted from the root downwards, replaced; the same when there are fewer. */
function replaced(root: unknown, at: number, value: unknown): unknown {
  let number = 0;
  const visit = (node: unknown): unknown => {
    if (number++ === at + 1) return value;
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([name, inner]) => [name, visit(inner)]));
  };
  return visit(root);
}

/** What is sent where: half of it to a collection that might even take it. */
const errand = oneof(record({ collection: constantFrom(...collections), text: body }), goodObject);

/** Any method, path, query, media type and body, near enough to good ones to get past the first check. */
export const strangeRequests: Arbitrary<StrangeRequest> = record({
  method: constantFrom("GET", "POST", "POST", "PUT", "PATCH", "DELETE"),
  errand,
  suffix,
  query,
  type,
  accept,
}).map(({ method, errand: { collection, text }, suffix: below, query: asked, type: contentType, accept: wanted }) => ({
  method,
  path: `${collection}${method === "POST" && below === "/x" ? "" : below}?${asked}`,
  headers: { "content-type": contentType, accept: wanted },
  body: text,
}));

/**
 * Sends a request and reads the answer to its end.
 *
 * @returns the status code, and whether it says that the server is at fault: Kubernetes answers 500 to some strategic merge
 * patches and watches of the client's making, too, but without the reason of an internal error.
 */
export async function askStrangely(
  { transport }: ApiServer,
  request: StrangeRequest,
): Promise<{ readonly status: number; readonly isFault: boolean }> {
  const { body: text, ...rest } = request;
  const { status, body: chunks } = await transport({ ...rest, ...(request.method === "GET" ? {} : { body: text }) });
  const answer: Uint8Array[] = [];
  for await (const chunk of chunks) if (status >= 500) answer.push(chunk);
  const isFault = status > 500 || Buffer.concat(answer).includes('"reason":"InternalError"');
  return { status, isFault };
}
