import type { ConformanceCase, Step } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const create = (name: string, metadata: object = {}): Step => ({
  request: `POST ${maps}`,
  body: { metadata: { name, ...metadata } },
  save: { uid: "metadata.uid", rv: "metadata.resourceVersion" },
  only: ["metadata.name"],
});
const owned = (name: string, more: object = {}): Step =>
  create(name, { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "{uid}", ...more }] });
const finalizer = "example.com/hold";
const release: Step = {
  request: `PATCH ${maps}/one`,
  type: "application/merge-patch+json",
  body: { metadata: { finalizers: null } },
};

/** Deletion: preconditions, finalizers, owners. */
export const deletion: readonly ConformanceCase[] = [
  {
    name: "deletes an object",
    steps: [create("one"), { request: `DELETE ${maps}/one` }, { request: `GET ${maps}/one`, only: ["code"] }],
  },
  { name: "knows no absent object on delete", steps: [{ request: `DELETE ${maps}/absent` }] },
  {
    name: "deletes the right uid",
    steps: [
      create("one"),
      { request: `DELETE ${maps}/one`, body: { preconditions: { uid: "{uid}" } }, only: ["status"] },
    ],
  },
  {
    name: "refuses to delete another uid",
    steps: [
      create("one"),
      { request: `DELETE ${maps}/one`, body: { preconditions: { uid: "11111111-1111-1111-1111-111111111111" } } },
    ],
  },
  {
    name: "refuses to delete another version",
    steps: [create("one"), { request: `DELETE ${maps}/one`, body: { preconditions: { resourceVersion: "1" } } }],
  },
  {
    name: "refuses broken options",
    steps: [create("one"), { request: `DELETE ${maps}/one`, body: "{", only: ["code", "reason"] }],
  },
  {
    name: "refuses an unknown propagation",
    steps: [create("one"), { request: `DELETE ${maps}/one`, body: { propagationPolicy: "Sideways" } }],
  },
  {
    name: "refuses an unknown dry run of a deletion",
    steps: [create("one"), { request: `DELETE ${maps}/one`, body: { dryRun: ["Maybe"] } }],
  },
  ...[
    { gracePeriodSeconds: "soon" },
    { gracePeriodSeconds: 1.5 },
    { orphanDependents: "yes" },
    { orphanDependents: false, propagationPolicy: "Orphan" },
    { preconditions: "none" },
    { dryRun: "All" },
    { kind: "Thing", apiVersion: "v1" },
  ].map((body) => ({
    name: `deletes nothing by ${JSON.stringify(body)}`,
    steps: [create("one"), { request: `DELETE ${maps}/one`, body }, { request: `GET ${maps}/one`, only: ["kind"] }],
  })),
  ...["gracePeriodSeconds=soon", "gracePeriodSeconds=", "orphanDependents=true&propagationPolicy=Orphan"].map(
    (query) => ({
      name: `deletes nothing by ?${query}`,
      steps: [
        create("one"),
        { request: `DELETE ${maps}/one?${query}` },
        { request: `GET ${maps}/one`, only: ["kind"] },
      ],
    }),
  ),
  {
    name: "refuses to delete a collection by broken options",
    steps: [create("one"), { request: `DELETE ${maps}?gracePeriodSeconds=9223372036854775808` }],
  },
  {
    name: "waits for a finalizer",
    steps: [
      create("one", { finalizers: [finalizer] }),
      { request: `DELETE ${maps}/one` },
      { request: `GET ${maps}/one` },
      release,
      { request: `GET ${maps}/one`, only: ["code"] },
    ],
  },
  {
    name: "deletes twice while a finalizer waits",
    steps: [
      create("one", { finalizers: [finalizer] }),
      { request: `DELETE ${maps}/one`, only: ["kind"] },
      { request: `DELETE ${maps}/one`, only: ["kind", "metadata.deletionGracePeriodSeconds"] },
      release,
    ],
  },
  {
    name: "takes no new finalizer while it goes",
    steps: [
      create("one", { finalizers: [finalizer] }),
      { request: `DELETE ${maps}/one`, only: ["kind"] },
      {
        request: `PATCH ${maps}/one`,
        type: "application/merge-patch+json",
        body: { metadata: { finalizers: [finalizer, "example.com/more"] } },
      },
      release,
    ],
  },
  {
    name: "takes other changes while it goes",
    steps: [
      create("one", { finalizers: [finalizer] }),
      { request: `DELETE ${maps}/one`, only: ["kind"] },
      {
        request: `PATCH ${maps}/one`,
        type: "application/merge-patch+json",
        body: { data: { a: "1" } },
        only: ["data"],
      },
      release,
    ],
  },
  {
    name: "can't be revived",
    steps: [
      create("one", { finalizers: [finalizer] }),
      { request: `DELETE ${maps}/one`, only: ["kind"] },
      {
        request: `PATCH ${maps}/one`,
        type: "application/merge-patch+json",
        body: { metadata: { deletionTimestamp: null } },
        only: ["metadata.deletionGracePeriodSeconds"],
      },
      release,
    ],
  },
  {
    name: "raises the generation when it goes",
    steps: [
      {
        request: "POST /apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
        body: { metadata: { name: "n", finalizers: [finalizer] }, spec: { podSelector: {} } },
        only: ["metadata.generation"],
      },
      { request: "DELETE /apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies/n", only: ["metadata.generation"] },
      {
        request: "PATCH /apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies/n",
        type: "application/merge-patch+json",
        body: { metadata: { finalizers: null } },
        only: ["metadata.generation"],
      },
    ],
  },
  {
    name: "collects what its owner leaves",
    steps: [
      create("owner"),
      owned("child"),
      { request: `DELETE ${maps}/owner`, only: ["status"] },
      { until: `${maps}/child`, status: 404 },
    ],
  },
  {
    name: "collects grandchildren",
    steps: [
      create("owner"),
      owned("child"),
      create("grandchild", { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "child", uid: "{uid}" }] }),
      { request: `DELETE ${maps}/owner`, only: ["status"] },
      { until: `${maps}/grandchild`, status: 404 },
    ],
  },
  {
    name: "collects what names an absent owner",
    steps: [
      create("orphan", {
        ownerReferences: [
          { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "11111111-1111-1111-1111-111111111111" },
        ],
      }),
      { until: `${maps}/orphan`, status: 404 },
    ],
  },
  {
    name: "orphans on request",
    steps: [
      create("owner"),
      owned("child"),
      { request: `DELETE ${maps}/owner`, body: { propagationPolicy: "Orphan" }, only: ["kind", "metadata.finalizers"] },
      { until: `${maps}/owner`, status: 404 },
      { request: `GET ${maps}/child`, only: ["metadata.name", "metadata.ownerReferences"] },
    ],
  },
  {
    name: "orphans by the old option",
    steps: [
      create("owner"),
      owned("child"),
      { request: `DELETE ${maps}/owner`, body: { orphanDependents: true }, only: ["kind", "metadata.finalizers"] },
      { until: `${maps}/owner`, status: 404 },
      { request: `GET ${maps}/child`, only: ["metadata.name", "metadata.ownerReferences"] },
    ],
  },
  {
    name: "goes in the foreground after its dependents",
    steps: [
      create("owner"),
      owned("child", { blockOwnerDeletion: true }),
      {
        request: `DELETE ${maps}/owner`,
        body: { propagationPolicy: "Foreground" },
        only: ["kind", "metadata.finalizers"],
      },
      { until: `${maps}/owner`, status: 404 },
      { request: `GET ${maps}/child`, only: ["code"] },
    ],
  },
  {
    name: "waits in the foreground for a finalizer below",
    steps: [
      create("owner"),
      create("one", {
        finalizers: [finalizer],
        ownerReferences: [
          { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "{uid}", blockOwnerDeletion: true },
        ],
      }),
      { request: `DELETE ${maps}/owner`, body: { propagationPolicy: "Foreground" }, only: ["kind"] },
      { until: `${maps}/one`, holds: { metadata: { deletionGracePeriodSeconds: 0 } } },
      { request: `GET ${maps}/owner`, only: ["metadata.finalizers"] },
      release,
      { until: `${maps}/owner`, status: 404 },
    ],
  },
  {
    name: "does not wait for what does not block",
    steps: [
      create("owner"),
      create("one", {
        finalizers: [finalizer],
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "{uid}" }],
      }),
      { request: `DELETE ${maps}/owner`, body: { propagationPolicy: "Foreground" }, only: ["kind"] },
      { until: `${maps}/owner`, status: 404 },
      release,
    ],
  },
  {
    name: "empties a namespace",
    steps: [
      { request: "POST /api/v1/namespaces", body: { metadata: { name: "x-{ns}" } }, only: ["status", "spec"] },
      {
        request: "POST /api/v1/namespaces/x-{ns}/configmaps",
        body: { metadata: { name: "a" } },
        only: ["metadata.name"],
      },
      { request: "DELETE /api/v1/namespaces/x-{ns}", only: ["kind", "spec", "status.phase"] },
      { until: "/api/v1/namespaces/x-{ns}", status: 404 },
    ],
  },
  {
    name: "takes nothing new into a namespace that goes",
    steps: [
      { request: "POST /api/v1/namespaces", body: { metadata: { name: "x-{ns}" } }, only: ["status"] },
      {
        request: "POST /api/v1/namespaces/x-{ns}/configmaps",
        body: { metadata: { name: "a", finalizers: [finalizer] } },
        only: ["metadata.name"],
      },
      { request: "DELETE /api/v1/namespaces/x-{ns}", only: ["status.phase"] },
      { request: "POST /api/v1/namespaces/x-{ns}/configmaps", body: { metadata: { name: "b" } } },
      { until: "/api/v1/namespaces/x-{ns}/configmaps/a", holds: { metadata: { deletionGracePeriodSeconds: 0 } } },
      {
        request: "PATCH /api/v1/namespaces/x-{ns}/configmaps/a",
        type: "application/merge-patch+json",
        body: { metadata: { finalizers: null } },
        only: ["kind"],
      },
      { until: "/api/v1/namespaces/x-{ns}", status: 404 },
    ],
  },
  { name: "protects the default namespace", steps: [{ request: "DELETE /api/v1/namespaces/default" }] },
  { name: "protects kube-system", steps: [{ request: "DELETE /api/v1/namespaces/kube-system" }] },
  {
    name: "returns a deleted Pod",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/pods",
        body: {
          metadata: { name: "p" },
          spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { no: "where" } },
        },
        only: ["kind"],
      },
      { request: "DELETE /api/v1/namespaces/{ns}/pods/p", only: ["kind", "metadata.name"] },
    ],
  },
  {
    name: "returns a deleted Service",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/services",
        body: { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } },
        only: ["kind"],
      },
      { request: "DELETE /api/v1/namespaces/{ns}/services/s", only: ["kind", "metadata.name"] },
    ],
  },
  {
    name: "returns a deleted ServiceAccount",
    steps: [
      { request: "POST /api/v1/namespaces/{ns}/serviceaccounts", body: { metadata: { name: "s" } }, only: ["kind"] },
      { request: "DELETE /api/v1/namespaces/{ns}/serviceaccounts/s", only: ["kind", "status"] },
    ],
  },
  {
    name: "returns a Status for a deleted Secret",
    steps: [
      { request: "POST /api/v1/namespaces/{ns}/secrets", body: { metadata: { name: "s" } }, only: ["kind"] },
      { request: "DELETE /api/v1/namespaces/{ns}/secrets/s" },
    ],
  },
  {
    name: "returns a Status for a deleted Role",
    steps: [
      {
        request: "POST /apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles",
        body: { metadata: { name: "s" }, rules: [] },
        only: ["kind"],
      },
      { request: "DELETE /apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles/s" },
    ],
  },
];
