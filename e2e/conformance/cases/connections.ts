import type { ConformanceCase, RequestStep } from "../case.ts";

const pods = "/api/v1/namespaces/{ns}/pods";
const events = (path: string) => `/apis/events.k8s.io/v1/namespaces/{ns}/${path}`;
const createPod = (name: string, ...containers: readonly string[]): RequestStep => ({
  request: `POST ${pods}`,
  body: { metadata: { name }, spec: { containers: containers.map((container) => ({ name: container, image: "i" })) } },
  only: ["kind"],
});

/** Ways into a Pod that no node runs. */
const paths: readonly string[] = [
  "none/exec?command=ls",
  "none/attach",
  "none/portforward",
  "none/proxy/",
  "one/exec",
  "one/exec?command=ls&stdout=1",
  "one/exec?command=ls&stdout=1&container=x",
  "two/exec?command=ls&stdout=1",
  "two/exec?command=ls&stdout=1&container=b",
  "one/attach?stdout=1",
  "one/attach?stdout=1&container=x",
  "two/attach?stdout=1",
  "one/portforward",
  "one/portforward?ports=80",
  "one/proxy",
  "one/proxy/",
  "one:80/proxy/x",
];

const ways: readonly ConformanceCase[] = paths.flatMap((path) =>
  ["GET", "POST"].map((method) => ({
    name: `${method} of ${path}`,
    steps: [createPod("one", "a"), createPod("two", "a", "b"), { request: `${method} ${pods}/${path}` }],
  })),
);

const selectors = [
  "regarding.kind=Pod",
  "regarding.name=x",
  "regarding.namespace=a",
  "regarding.uid=a",
  "regarding.apiVersion=v1",
  "regarding.resourceVersion=1",
  "regarding.fieldPath=a",
  "reason=a",
  "type=Normal",
  "reportingController=a",
  "reportingComponent=a",
  "involvedObject.kind=Pod",
  "source=a",
  "note=a",
  "metadata.name=a",
];

/** Connections to what runs, and events by what they tell of. */
export const connections: readonly ConformanceCase[] = [
  ...ways,
  {
    name: "proxies to a Service",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/services",
        body: { metadata: { name: "s" }, spec: { ports: [{ name: "http", port: 80 }] } },
        only: ["kind"],
      },
      { request: "GET /api/v1/namespaces/{ns}/services/s/proxy/" },
      { request: "GET /api/v1/namespaces/{ns}/services/s:http/proxy/" },
      { request: "GET /api/v1/namespaces/{ns}/services/s:other/proxy/" },
      { request: "GET /api/v1/namespaces/{ns}/services/none/proxy/" },
      { request: "GET /api/v1/nodes/none/proxy/" },
    ],
  },
  ...selectors.map((selector) => ({
    name: `events.k8s.io by ${selector}`,
    steps: [{ request: `GET ${events("events")}?fieldSelector=${encodeURIComponent(selector)}` }],
  })),
  {
    name: "finds an event by what it regards",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/events",
        body: {
          metadata: { name: "e" },
          involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" },
          reason: "R",
          reportingComponent: "c",
        },
        only: ["kind"],
      },
      {
        request: `GET ${events("events")}?fieldSelector=regarding.kind%3DPod,reportingController%3Dc`,
        only: ["kind", "items.0.regarding.name"],
      },
      { request: `GET ${events("events")}?fieldSelector=regarding.kind%3DNode`, only: ["items"] },
    ],
  },
];
