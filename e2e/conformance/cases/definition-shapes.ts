import type { ConformanceCase, Step } from "../case.ts";

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export interface Shape {
  readonly spec?: object;
  readonly rules?: readonly object[];
  readonly version?: object;
  readonly names?: object;
  readonly scope?: string;
  readonly more?: readonly object[];
}

/** A definition in a group of the case's own. */
export function definition({
  spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  version = {},
  names = {},
  scope = "Namespaced",
  more = [],
}: Shape = {}): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.{ns}.example.com" },
    spec: {
      group: "{ns}.example.com",
      scope,
      names: { plural: "things", kind: "Thing", ...names },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec, status: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          },
          ...version,
        },
        ...more,
      ],
    },
  };
}

export const things = "/apis/{ns}.example.com/v1/namespaces/{ns}/things";
export const thing = (spec: unknown, more: object = {}): object => ({
  apiVersion: "{ns}.example.com/v1",
  kind: "Thing",
  metadata: { name: "t" },
  spec,
  ...more,
});
export const install = (shape: Shape = {}): readonly Step[] => [
  { request: `POST ${crds}`, body: definition(shape), only: ["kind", "message"] },
  {
    until: `${crds}/things.{ns}.example.com`,
    holds: { status: { conditions: [{ type: "Established", status: "True" }] } },
  },
  { until: things, status: 200 },
];
export const remove: Step = { request: `DELETE ${crds}/things.{ns}.example.com`, only: ["kind"] };
export const brief = ["spec", "message", "reason", "code", "details.causes"];
export const creates = (name: string, spec: object, value: unknown, query = ""): ConformanceCase => ({
  name: `custom: ${name}`,
  steps: [...install({ spec }), { request: `POST ${things}${query}`, body: thing(value), only: brief }, remove],
});
export const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
export const refused = (name: string, shape: Shape): ConformanceCase => ({
  name: `definition: refuses ${name}`,
  steps: [{ request: `POST ${crds}?dryRun=All`, body: definition(shape) }],
});
export const rule = (text: string, more: object = {}): object => ({
  "x-kubernetes-validations": [{ rule: text, ...more }],
});
export const withStatus = { subresources: { status: {} } };
export const update = (spec: unknown, subresource = ""): Step => ({
  request: `PATCH ${things}/t${subresource}`,
  type: "application/merge-patch+json",
  body: spec,
  only: [...brief, "status", "metadata.generation"],
});
