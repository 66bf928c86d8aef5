import type { ConformanceCase, Step } from "../case.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/{ns}/configmaps";
const inNamespace = { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } };
const mapRules = (operations: readonly string[]): readonly object[] => [
  { apiGroups: [""], apiVersions: ["v1"], operations, resources: ["configmaps"] },
];

interface Hook {
  readonly path: string;
  readonly more?: object;
}

const configuration = (hooks: readonly Hook[]): object => ({
  metadata: { name: "{ns}" },
  webhooks: hooks.map(({ path, more }, index) => ({
    name: `h${index}.example.com`,
    clientConfig: { url: `{hooks}/${path}`, caBundle: "{hooksCa}" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    namespaceSelector: inNamespace,
    rules: mapRules(["CREATE"]),
    ...more,
  })),
});

/** A server notices a configuration in its own time: this hook of it says that it is in force. */
const probe: Hook = {
  path: "deny",
  more: { matchConditions: [{ name: "probe", expression: "object.metadata.name == 'probe'" }] },
};
const noticed: Step = { until: `POST ${maps}?dryRun=All`, body: { metadata: { name: "probe" } }, status: 403 };

function webhooks(
  name: string,
  kind: "validating" | "mutating",
  hooks: readonly Hook[],
  asked: readonly Step[],
): ConformanceCase {
  const path = `${registration}/${kind}webhookconfigurations`;
  return {
    name: `webhooks: ${name}`,
    steps: [
      { request: `POST ${path}`, body: configuration([probe, ...hooks]), only: ["kind"] },
      noticed,
      ...asked,
      { request: `DELETE ${path}/{ns}`, only: ["status"] },
    ],
  };
}

const create = (name = "a", more: object = {}): Step => ({
  request: `POST ${maps}`,
  body: { metadata: { name }, ...more },
});

const policy = (spec: object): object => ({
  metadata: { name: "{ns}" },
  spec: { matchConstraints: { resourceRules: mapRules(["CREATE", "UPDATE"]) }, ...spec },
});
const binding = (name: string, spec: object = {}): object => ({
  metadata: { name: `{ns}-${name}` },
  spec: {
    policyName: "{ns}",
    validationActions: ["Deny"],
    matchResources: { namespaceSelector: inNamespace },
    ...spec,
  },
});
const probed = { expression: "object.metadata.name != 'probe'", message: "in force" };

function policies(name: string, spec: object, bindings: readonly object[], asked: readonly Step[]): ConformanceCase {
  const { validations = [] } = spec as { readonly validations?: readonly object[] };
  const names = bindings.map((one) => (one as { readonly metadata: { readonly name: string } }).metadata.name);
  return {
    name: `policies: ${name}`,
    steps: [
      {
        request: `POST ${registration}/validatingadmissionpolicies`,
        body: policy({ ...spec, validations: [probed, ...validations] }),
        only: ["kind", "spec"],
      },
      ...bindings.map(
        (body): Step => ({
          request: `POST ${registration}/validatingadmissionpolicybindings`,
          body,
          only: ["kind", "spec"],
        }),
      ),
      { until: `POST ${maps}?dryRun=All`, body: { metadata: { name: "probe" } }, status: 422 },
      ...asked,
      ...names.map(
        (one): Step => ({
          request: `DELETE ${registration}/validatingadmissionpolicybindings/${one}`,
          only: ["status"],
        }),
      ),
      { request: `DELETE ${registration}/validatingadmissionpolicies/{ns}`, only: ["status"] },
    ],
  };
}

const withParameters = ({ name, steps }: ConformanceCase): ConformanceCase => ({
  name,
  steps: [{ ...create("limits", { data: { most: "5" } }), only: ["kind"] }, ...steps],
});

const refused = (name: string, spec: object): ConformanceCase => ({
  name: `policies: refuses ${name}`,
  steps: [{ request: `POST ${registration}/validatingadmissionpolicies?dryRun=All`, body: policy(spec) }],
});

/** Webhooks and admission policies. */
export const admission: readonly ConformanceCase[] = [
  webhooks("an allowed write", "validating", [{ path: "allow" }], [create()]),
  webhooks("a denied write", "validating", [{ path: "deny" }], [create()]),
  webhooks("a denial without a reason", "validating", [{ path: "silent" }], [create()]),
  webhooks("a warning", "validating", [{ path: "warn" }], [create()]),
  webhooks(
    "an answer that is none",
    "validating",
    [{ path: "unreadable" }],
    [{ ...create(), only: ["code", "reason"] }],
  ),
  webhooks(
    "an answer that is none, ignored",
    "validating",
    [{ path: "unreadable", more: { failurePolicy: "Ignore" } }],
    [create()],
  ),
  webhooks(
    "a timeout",
    "validating",
    [{ path: "slow", more: { timeoutSeconds: 1 } }],
    [{ ...create(), only: ["code", "reason"] }],
  ),
  webhooks(
    "a timeout, ignored",
    "validating",
    [{ path: "slow", more: { timeoutSeconds: 1, failurePolicy: "Ignore" } }],
    [create()],
  ),
  webhooks(
    "dry run with side effects",
    "validating",
    [{ path: "allow", more: { sideEffects: "NoneOnDryRun" } }],
    [{ request: `POST ${maps}?dryRun=All`, body: { metadata: { name: "a" } } }],
  ),
  webhooks(
    "an object selector",
    "validating",
    [{ path: "deny", more: { objectSelector: { matchLabels: { watched: "yes" } } } }],
    [create("a"), { request: `POST ${maps}`, body: { metadata: { name: "b", labels: { watched: "yes" } } } }],
  ),
  webhooks(
    "match conditions",
    "validating",
    [
      {
        path: "deny",
        more: {
          matchConditions: [
            { name: "only-b", expression: "object.metadata.name == 'b'" },
            { name: "create", expression: "request.operation == 'CREATE'" },
          ],
        },
      },
    ],
    [create("a"), create("b")],
  ),
  webhooks(
    "a match condition that fails beside one that is false",
    "validating",
    [
      {
        path: "deny",
        more: {
          matchConditions: [
            { name: "broken", expression: "object.nothing.here == 1" },
            { name: "never", expression: "false" },
          ],
        },
      },
    ],
    [create()],
  ),
  webhooks("a mutation", "mutating", [{ path: "label/one" }], [create()]),
  webhooks("mutations in order", "mutating", [{ path: "label/one" }, { path: "label/two" }], [create()]),
  webhooks(
    "a mutation that is asked again",
    "mutating",
    [{ path: "label/one", more: { reinvocationPolicy: "IfNeeded" } }, { path: "label/two" }],
    [create()],
  ),
  webhooks("a mutation that is undone by validation", "mutating", [{ path: "label/not%20a%20name" }], [create()]),
  {
    name: "webhooks: refuses conditions that do not compile",
    steps: [
      {
        request: `POST ${registration}/validatingwebhookconfigurations?dryRun=All`,
        body: configuration([
          {
            path: "allow",
            more: {
              matchConditions: [
                { name: "a", expression: "foo" },
                { name: "b", expression: "'text'" },
              ],
            },
          },
        ]),
        only: ["message", "code"],
      },
    ],
  },
  policies(
    "deny",
    { validations: [{ expression: "object.metadata.name != 'bad'" }] },
    [binding("b")],
    [create("bad"), create("good")],
  ),
  policies(
    "messages and reasons",
    {
      validations: [
        { expression: "object.metadata.name != 'a'", message: "no a", reason: "Forbidden" },
        { expression: "object.metadata.name != 'b'", messageExpression: "'found ' + object.metadata.name" },
        { expression: "object.data.x == 'y' || object.metadata.name != 'c'" },
      ],
    },
    [binding("b")],
    [create("a"), create("b"), create("c"), create("d", { data: { x: "y" } })],
  ),
  policies(
    "warn",
    { validations: [{ expression: "object.metadata.name != 'bad'", message: "is bad" }] },
    [binding("b"), binding("w", { validationActions: ["Warn"] })],
    [create("bad"), create("good")],
  ),
  policies(
    "failures are ignored",
    { failurePolicy: "Ignore", validations: [{ expression: "object.data.x == 'y'" }] },
    [binding("b")],
    [create("a")],
  ),
  policies(
    "variables",
    {
      variables: [
        { name: "first", expression: "object.metadata.name" },
        { name: "twice", expression: "variables.first + variables.first" },
      ],
      validations: [{ expression: "variables.twice != 'aa'", messageExpression: "'twice is ' + variables.twice" }],
    },
    [binding("b")],
    [create("a"), create("b")],
  ),
  policies(
    "conditions",
    {
      matchConditions: [{ name: "not-a", expression: "object.metadata.name != 'a'" }],
      validations: [{ expression: "object.metadata.name == 'probe'", message: "only others" }],
    },
    [binding("b")],
    [create("a"), create("b")],
  ),
  policies(
    "updates see the old object",
    { validations: [{ expression: "oldObject == null || object.data == oldObject.data", message: "data stays" }] },
    [binding("b")],
    [
      create("a", { data: { x: "1" } }),
      { request: `PUT ${maps}/a`, body: { metadata: { name: "a" }, data: { x: "2" } } },
      { request: `PATCH ${maps}/a`, type: "application/merge-patch+json", body: { metadata: { labels: { l: "v" } } } },
    ],
  ),
  policies(
    "the namespace's labels",
    {
      validations: [
        {
          expression:
            "namespaceObject.metadata.name == '{ns}' && request.namespace == '{ns}' && request.userInfo.username != ''",
        },
      ],
    },
    [binding("b")],
    [create("a")],
  ),
  withParameters(
    policies(
      "parameters",
      {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        validations: [
          {
            expression: "object.metadata.name.size() <= int(params.data.most)",
            messageExpression: "'more than ' + params.data.most",
          },
        ],
      },
      [binding("b", { paramRef: { name: "limits", namespace: "{ns}", parameterNotFoundAction: "Deny" } })],
      [create("abcdef"), create("abc")],
    ),
  ),
  refused("syntax", { validations: [{ expression: "object.x ==" }] }),
  refused("an unknown variable", { validations: [{ expression: "foo" }] }),
  refused("no boolean", { validations: [{ expression: "'text'" }] }),
  refused("a message that is no text", { validations: [{ expression: "true", messageExpression: "1" }] }),
  refused("no expression", { validations: [{ expression: "" }] }),
  refused("a wrong argument", { validations: [{ expression: "object.metadata.name.startsWith(1)" }] }),
  refused("a condition that is no boolean", {
    matchConditions: [{ name: "a", expression: "1" }],
    validations: [{ expression: "true" }],
  }),
];
