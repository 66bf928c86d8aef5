import type { ConformanceCase, Step } from "../case.ts";

const authorization = "/apis/authorization.k8s.io/v1";
const post = (path: string, kind: string, spec: object, only?: readonly string[]): Step => ({
  request: `POST ${path}`,
  body: { apiVersion: path.slice(6, path.indexOf("/v1") + 3), kind, spec },
  ...(only === undefined ? {} : { only }),
});
const review = (
  name: string,
  spec: object,
  only: readonly string[] = ["kind", "apiVersion", "spec", "status.allowed", "message", "code"],
): ConformanceCase => ({
  name,
  steps: [post(`${authorization}/subjectaccessreviews`, "SubjectAccessReview", spec, only)],
});
const account: Step = {
  request: "POST /api/v1/namespaces/{ns}/serviceaccounts",
  body: { metadata: { name: "robot" } },
  only: ["metadata.name"],
};
const token = (spec: object, save?: Record<string, string>): Step => ({
  request: "POST /api/v1/namespaces/{ns}/serviceaccounts/robot/token",
  body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec },
  only: ["kind", "spec.audiences.length", "spec.expirationSeconds", "message", "code"],
  ...(save === undefined ? {} : { save }),
});
const asRobot = { authorization: "Bearer {token}" };
const role: readonly Step[] = [
  {
    request: "POST /apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles",
    body: {
      metadata: { name: "reader" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }],
    },
    only: ["metadata.name"],
  },
  {
    request: "POST /apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
    body: {
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "{ns}" }],
    },
    only: ["metadata.name"],
  },
];
const may = (verb: string, resource: string, group = ""): object => ({
  user: "system:serviceaccount:{ns}:robot",
  resourceAttributes: { namespace: "{ns}", verb, resource, group },
});

/** Reviews, tokens, roles. */
export const access: readonly ConformanceCase[] = [
  {
    name: "reviews the own identity",
    steps: [post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "SelfSubjectReview", {}, ["kind", "code"])],
  },
  {
    name: "reviews own access",
    steps: [
      post(
        `${authorization}/selfsubjectaccessreviews`,
        "SelfSubjectAccessReview",
        { resourceAttributes: { verb: "delete", resource: "nodes" } },
        ["kind", "spec", "status.allowed"],
      ),
    ],
  },
  review("a stranger may not", {
    user: "stranger",
    resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" },
  }),
  review("masters may", {
    user: "someone",
    groups: ["system:masters"],
    resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" },
  }),
  review("authenticated people may see the version", {
    user: "someone",
    groups: ["system:authenticated"],
    nonResourceAttributes: { verb: "get", path: "/version" },
  }),
  review("authenticated people may discover", {
    user: "someone",
    groups: ["system:authenticated"],
    nonResourceAttributes: { verb: "get", path: "/apis/apps" },
  }),
  review("strangers may not see metrics", {
    user: "someone",
    groups: ["system:authenticated"],
    nonResourceAttributes: { verb: "get", path: "/metrics" },
  }),
  review("a review needs a subject", { resourceAttributes: { verb: "get", resource: "pods" } }, [
    "message",
    "code",
    "details.causes",
  ]),
  review("a review needs attributes", { user: "someone" }, ["message", "code", "details.causes"]),
  {
    name: "a role allows what it says",
    steps: [
      account,
      ...role,
      ...["get", "list", "delete"].map((verb) =>
        post(`${authorization}/subjectaccessreviews`, "SubjectAccessReview", may(verb, "configmaps"), [
          "status.allowed",
        ]),
      ),
      post(`${authorization}/subjectaccessreviews`, "SubjectAccessReview", may("get", "secrets"), ["status.allowed"]),
    ],
  },
  {
    name: "a token identifies its account",
    steps: [
      account,
      token({}, { token: "status.token" }),
      {
        request: "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
        headers: asRobot,
        only: ["status.userInfo.username", "status.userInfo.groups"],
      },
    ],
  },
  {
    name: "a token opens what its role allows",
    steps: [
      account,
      ...role,
      token({}, { token: "status.token" }),
      { request: "GET /api/v1/namespaces/{ns}/configmaps", headers: asRobot, only: ["kind", "code"] },
      { request: "GET /api/v1/namespaces/{ns}/secrets", headers: asRobot },
      { request: "GET /api/v1/namespaces/{ns}/secrets/x", headers: asRobot },
      { request: "POST /api/v1/namespaces/{ns}/configmaps", headers: asRobot, body: { metadata: { name: "x" } } },
      { request: "GET /api/v1/nodes", headers: asRobot },
      { request: "DELETE /apis/apps/v1/namespaces/{ns}/deployments", headers: asRobot },
      { request: "GET /metrics", headers: asRobot },
    ],
  },
  {
    name: "a token is reviewed",
    steps: [
      account,
      token({}, { token: "status.token" }),
      {
        request: "POST /apis/authentication.k8s.io/v1/tokenreviews",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "{token}" } },
        only: ["status.authenticated", "status.user.username", "status.user.groups"],
      },
    ],
  },
  {
    name: "a token of another audience is refused",
    steps: [
      account,
      token({ audiences: ["elsewhere"] }, { token: "status.token" }),
      { request: "GET /api/v1/namespaces/{ns}/configmaps", headers: asRobot },
      {
        request: "POST /apis/authentication.k8s.io/v1/tokenreviews",
        body: {
          apiVersion: "authentication.k8s.io/v1",
          kind: "TokenReview",
          spec: { token: "{token}", audiences: ["elsewhere"] },
        },
        only: ["status.authenticated", "status.audiences"],
      },
    ],
  },
  {
    name: "a token dies with its account",
    steps: [
      account,
      token({}, { token: "status.token" }),
      { request: "DELETE /api/v1/namespaces/{ns}/serviceaccounts/robot", only: ["kind"] },
      { request: "GET /api/v1/namespaces/{ns}/configmaps", headers: asRobot, only: ["code"] },
    ],
  },
  {
    name: "an unknown token is reviewed",
    steps: [
      {
        request: "POST /apis/authentication.k8s.io/v1/tokenreviews",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "nonsense" } },
        only: ["status.authenticated", "status.user"],
      },
    ],
  },
  { name: "a token lives ten minutes at least", steps: [account, token({ expirationSeconds: 10 })] },
  { name: "a token of an absent account", steps: [token({})] },
  {
    name: "a token Secret is filled",
    steps: [
      account,
      {
        request: "POST /api/v1/namespaces/{ns}/secrets",
        body: {
          metadata: { name: "t", annotations: { "kubernetes.io/service-account.name": "robot" } },
          type: "kubernetes.io/service-account-token",
        },
        only: ["type"],
      },
      { until: "/api/v1/namespaces/{ns}/secrets/t", holds: { data: {} } },
    ],
  },
];
