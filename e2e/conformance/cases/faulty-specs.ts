import type { ConformanceCase } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const pod = { containers: [{ name: "c", image: "i" }] };
const services = "/api/v1/namespaces/{ns}/services";
const pods = "/api/v1/namespaces/{ns}/pods";
const strategy = (fields: object): readonly [string, object] => [
  deployments,
  {
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: pod },
      strategy: fields,
    },
  },
];
const service = (spec: object): readonly [string, object] => [services, { spec: { ports: [{ port: 80 }], ...spec } }];
const container = (fields: object): readonly [string, object] => [
  pods,
  { spec: { containers: [{ name: "c", image: "i", ...fields }] } },
];
const volumes = (...list: readonly object[]): readonly [string, object] => [pods, { spec: { ...pod, volumes: list } }];

/** Specs that a cluster does not take. */
const specs: Readonly<Record<string, readonly [path: string, body: object]>> = {
  "a rolling update of Recreate": strategy({ type: "Recreate", rollingUpdate: { maxSurge: 1 } }),
  "a surge that is no percentage": strategy({ rollingUpdate: { maxSurge: "x" } }),
  "a rolling update that can't move": strategy({ rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } }),
  "a node port of a cluster address": service({ ports: [{ port: 80, nodePort: 30_001 }] }),
  "two ports of one name": service({
    ports: [
      { name: "a", port: 1 },
      { name: "a", port: 2 },
    ],
  }),
  "a port name in capitals": service({ ports: [{ name: "A", port: 1 }] }),
  "a selector that is no label": service({ selector: { "a b": "c" } }),
  "an external name of nothing": service({ type: "ExternalName" }),
  "an external name with a blank": service({ type: "ExternalName", externalName: "a b" }),
  "an image with blanks": container({ image: " i " }),
  "variables without a proper name": container({ env: [{ name: "" }, { name: "a=b" }] }),
  "a variable with two values": container({
    env: [{ name: "x", value: "1", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
  }),
  "a variable from nowhere": container({ env: [{ name: "x", valueFrom: {} }] }),
  "two container ports of one name": container({
    ports: [
      { name: "a", containerPort: 1 },
      { name: "a", containerPort: 2 },
    ],
  }),
  "a probe without a handler": container({ livenessProbe: {} }),
  "a mount without a path": [
    pods,
    {
      spec: {
        containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "" }] }],
        volumes: [{ name: "v", emptyDir: {} }],
      },
    },
  ],
  "two volumes of one name": volumes({ name: "v", emptyDir: {} }, { name: "v", emptyDir: {} }),
  "a volume of no ConfigMap": volumes({ name: "v", configMap: {} }),
  "a volume of no claim": volumes({ name: "v", persistentVolumeClaim: {} }),
  "an init container of the same name": [pods, { spec: { ...pod, initContainers: [{ name: "c", image: "i" }] } }],
  "one key in text and bytes": [maps, { data: { a: "1" }, binaryData: { a: "MQ==" } }],
};

/** Specs of built-in kinds with a fault, one each. */
export const faultySpecs: readonly ConformanceCase[] = Object.entries(specs).map(([name, [path, body]]) => ({
  name: `refuses ${name}`,
  steps: [{ request: `POST ${path}?dryRun=All`, body: { metadata: { name: "s" }, ...body } }],
}));
