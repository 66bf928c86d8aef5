import type { ConformanceCase, Step } from "../case.ts";

export const group = (groupVersion: string, resource: string): string =>
  `/apis/${groupVersion}/namespaces/{ns}/${resource}`;
export const deployments = group("apps/v1", "deployments");
export const replicaSets = group("apps/v1", "replicasets");
export const statefulSets = group("apps/v1", "statefulsets");
export const daemonSets = group("apps/v1", "daemonsets");
export const jobs = group("batch/v1", "jobs");
export const slices = group("discovery.k8s.io/v1", "endpointslices");
export const pods = "/api/v1/namespaces/{ns}/pods";
export const services = "/api/v1/namespaces/{ns}/services";

export const template = (spec: object = {}, image = "example.com/i:1"): object => ({
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "c", image, ports: [{ name: "http", containerPort: 8080 }] }], ...spec },
});
export const selector = { matchLabels: { app: "web" } };
export const workload = (spec: object = {}): object => ({
  metadata: { name: "web" },
  spec: { selector, template: template(), ...spec },
});
export const make = (path: string, body: object): Step => ({ request: `POST ${path}`, body, only: ["kind"] });
export const change = (path: string, body: object): Step => ({
  request: `PATCH ${path}`,
  type: "application/merge-patch+json",
  body,
  only: ["kind"],
});
export const until = (path: string, holds: object): Step => ({ until: path, holds });
export const show = (path: string, ...only: readonly string[]): Step => ({ request: `GET ${path}`, only });
/** So many objects, of which the first ones are named for later steps. */
export const counted = (path: string, count: number): readonly Step[] => [
  until(path, { items: Array.from({ length: count }, () => ({})) }),
  {
    request: `GET ${path}`,
    save: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}`, `items.${index}.metadata.name`]),
    ),
    only: [`items.${count}`],
  },
];
export const ready = (pod: string, podIP = "10.1.0.1"): Step =>
  change(`${pods}/${pod}/status`, {
    status: { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions: [{ type: "Ready", status: "True" }] },
  });
export const ended = (pod: string, phase: string): Step => change(`${pods}/${pod}/status`, { status: { phase } });

export const one = (name: string, ...steps: readonly (Step | readonly Step[])[]): ConformanceCase => ({
  name: `workloads: ${name}`,
  steps: steps.flat() as readonly Step[],
});
