import type { ConformanceCase } from "../case.ts";

const create = (
  resource: string,
  kind: string,
  metadata: object,
  { apiVersion = "v1", ...more }: { readonly [field: string]: unknown; readonly apiVersion?: string } = {},
): ConformanceCase["steps"][number] => ({
  request: `POST ${apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`}/namespaces/{ns}/${resource}`,
  body: { kind, metadata, ...more, apiVersion },
});
const configMap = (metadata: object): ConformanceCase["steps"][number] => create("configmaps", "ConfigMap", metadata);
const service = (name: string): ConformanceCase["steps"][number] =>
  create("services", "Service", { name }, { spec: { ports: [{ port: 80 }] } });
const role = (name: string): ConformanceCase["steps"][number] =>
  create("roles", "Role", { name }, { rules: [], apiVersion: "rbac.authorization.k8s.io/v1" });
const one = (name: string, step: ConformanceCase["steps"][number]): ConformanceCase => ({ name, steps: [step] });

const shown = (text: string): string =>
  text.length > 20 ? `${text.slice(0, 5)}… (${text.length})` : JSON.stringify(text);
const long = "a".repeat(254);

/** Names, labels, annotations, finalizers and owners. */
export const names: readonly ConformanceCase[] = [
  ...["Upper", "under_score", "-dash", "dash-", "dot..dot", "a/b", "ümlaut", long, "ok.name-1"].map((name) =>
    one(`names a ConfigMap ${shown(name)}`, configMap({ name })),
  ),
  ...["1digit", "Upper", "dot.dot", "a".repeat(64), "ok-1"].map((name) =>
    one(`names a Service ${shown(name)}`, service(name)),
  ),
  ...["system:Any_thing", "a/b", "..", "a%b", "."].map((name) => one(`names a Role ${name}`, role(name))),
  ...["Upper", "dot.dot", "a".repeat(64)].map((name) =>
    one(`names a Namespace ${shown(name)}`, {
      request: "POST /api/v1/namespaces?dryRun=All",
      body: { metadata: { name } },
    }),
  ),
  ...["Upper-", "ok-", "-"].map((generateName) => one(`generates from ${generateName}`, configMap({ generateName }))),
  ...["a b", "", "a/b/c", "/a", "a/", "-a", "A.b/C", "x".repeat(64), `${"x".repeat(254)}/a`].map((key) =>
    one(`labels with key ${shown(key)}`, configMap({ name: "l", labels: { [key]: "v" } })),
  ),
  ...["a b", "", "-a", "a_b.c-d", "x".repeat(64)].map((value) =>
    one(`labels with value ${shown(value)}`, configMap({ name: "l", labels: { key: value } })),
  ),
  ...["a b", "Ok.com/Key", "", "a/b/c"].map((key) =>
    one(`annotates with key ${key}`, configMap({ name: "a", annotations: { [key]: "any value ✓" } })),
  ),
  one("refuses large annotations", {
    ...configMap({ name: "a", annotations: { big: "x".repeat(262_145) } }),
    only: ["code", "reason"],
  }),
  ...["unqualified", "example.com/ok", "foregroundDeletion", "a b/c"].map((finalizer) =>
    one(`holds finalizer ${finalizer}`, configMap({ name: "f", finalizers: [finalizer] })),
  ),
  one("refuses both deletion finalizers", configMap({ name: "f", finalizers: ["orphan", "foregroundDeletion"] })),
  one(
    "holds an owner",
    configMap({
      name: "o",
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "11111111-1111-1111-1111-111111111111" },
      ],
    }),
  ),
  one(
    "refuses an owner without uid",
    configMap({ name: "o", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x" }] }),
  ),
  one("refuses an owner without anything", configMap({ name: "o", ownerReferences: [{}] })),
  one(
    "refuses two controllers",
    configMap({
      name: "o",
      ownerReferences: ["a", "b"].map((name, index) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name,
        uid: `11111111-1111-1111-1111-11111111111${index}`,
        controller: true,
      })),
    }),
  ),
  one(
    "refuses an Event as owner",
    configMap({
      name: "o",
      ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "x", uid: "11111111-1111-1111-1111-111111111111" }],
    }),
  ),
  one("refuses a namespace on cluster objects", {
    request: "POST /apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All",
    body: { metadata: { name: "x-{ns}", namespace: "default" }, rules: [] },
  }),
];
