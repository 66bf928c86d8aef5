/** P13: server-side apply, from parsed live and applied objects to the object that would be stored. */

import { applyObject } from "@kyma-operators/ssa";
import { type KindFacts, kindFacts } from "../apiserver/facts/facts.ts";
import { type Measurement, medianMs, type RunOptions, type Workload } from "./measurement.ts";

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly spec: object;
}

const applies = 200;

export const workload: Workload = { name: "server-side apply", run };

async function run({ smoke }: RunOptions): Promise<readonly Measurement[]> {
  const runs = smoke ? 1 : 15;
  return [
    await measure("a Pod", factsOf("", "v1", "Pod"), pod, { runs, targetUs: 283 }),
    await measure("a 500 kB CRD", factsOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), definition, {
      runs,
      targetUs: 1460,
    }),
  ];
}

function factsOf(group: string, version: string, kind: string): KindFacts {
  const facts = kindFacts(group, version, kind);
  if (facts === undefined) throw new Error(`no facts of ${kind}`);
  return facts;
}

/** Two managers apply in turn; every apply changes one field and arrives as a parsed request of its own. */
async function measure(
  what: string,
  { schema }: KindFacts,
  build: (revision: number) => Sample,
  { runs, targetUs }: { runs: number; targetUs: number },
): Promise<Measurement> {
  const apply = (live: object | undefined, applied: object, manager: string): object =>
    applyObject({ live, applied, manager, schema, force: true, now: "2026-01-01T00:00:00Z" }).object;
  const first = apply(apply(undefined, build(0), "one"), labels(build(0)), "two");
  const requests = Array.from({ length: applies }, (_, revision) => build(revision));
  const ms = await medianMs(runs, () => {
    let live = first;
    for (const request of requests) live = apply(live, request, "one");
    return live;
  });
  const value = (ms * 1000) / applies;
  return {
    id: "P13",
    what: `server-side apply of ${what}`,
    value,
    unit: "µs",
    target: `≤ ${targetUs} µs`,
    met: value <= targetUs,
  };
}

function labels(object: Sample): object {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, metadata: { name: metadata.name, labels: { team: "two" } } };
}

/** A Pod as a controller would apply it; the revision changes its images. */
export function pod(revision: number): Sample {
  const container = (name: string): object => ({
    name,
    image: `registry.example.com/${name}:${revision}`,
    args: ["--verbose", "--port=8080"],
    env: Array.from({ length: 8 }, (_, at) => ({ name: `VARIABLE_${at}`, value: String(at) })),
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    resources: { limits: { cpu: "1", memory: "256Mi" }, requests: { cpu: "100m", memory: "64Mi" } },
    volumeMounts: [{ name: "config", mountPath: "/etc/config" }],
    livenessProbe: { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10 },
  });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "sample",
      namespace: "default",
      labels: { app: "sample" },
      annotations: { revision: String(revision) },
    },
    spec: {
      serviceAccountName: "sample",
      containers: [container("main"), container("sidecar")],
      volumes: [{ name: "config", configMap: { name: "sample" } }],
      tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
    },
  };
}

/** A definition of about 500 kB; the revision changes an annotation. */
export function definition(revision: number): Sample {
  const field = (at: number): object => ({
    type: "string",
    description: `Field ${at}: ${"what it is for ".repeat(6)}`,
    maxLength: 100 + at,
  });
  const section = (at: number): object => ({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${at}x${index}`, field(index)])),
  });
  const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`section${at}`, section(at)]));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "samples.example.com", annotations: { revision: String(revision) } },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "samples", singular: "sample", kind: "Sample", listKind: "SampleList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
        },
      ],
    },
  };
}
