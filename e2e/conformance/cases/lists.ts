import type { ConformanceCase, Step } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const labelled: readonly Step[] = [
  ["a", { app: "web", tier: "front" }],
  ["b", { app: "web", tier: "back" }],
  ["c", { app: "db" }],
  ["d", {}],
].map(([name, labels]) => ({
  request: `POST ${maps}`,
  body: { metadata: { name, labels: { mine: "yes", ...(labels as object) } } },
  only: ["metadata.name"],
  save: { [`rv${name as string}`]: "metadata.resourceVersion" },
}));
const mine = "mine%3Dyes";
const selected = (name: string, selector: string, kind = "labelSelector"): ConformanceCase => ({
  name,
  steps: [
    ...labelled,
    {
      request: `GET ${maps}?${kind}=${encodeURIComponent(kind === "labelSelector" ? `mine=yes,${selector}` : selector)}`,
      only: [
        "kind",
        "items.length",
        "items.0.metadata.name",
        "items.1.metadata.name",
        "items.2.metadata.name",
        "items.3.metadata.name",
        "message",
        "reason",
        "code",
      ],
    },
  ],
});

/** Lists: selectors, chunks, versions. */
export const lists: readonly ConformanceCase[] = [
  { name: "lists in order of names", steps: [...labelled, { request: `GET ${maps}?labelSelector=${mine}` }] },
  selected("selects by equality", "app=web"),
  selected("selects by double equality", "app==web"),
  selected("selects by inequality", "app!=web"),
  selected("selects by set", "app in (web, db)"),
  selected("selects by exclusion", "app notin (web)"),
  selected("selects by existence", "tier"),
  selected("selects by absence", "!tier"),
  selected("selects by several terms", "app=web,tier=back"),
  selected("selects with spaces", " app = web "),
  selected("selects an empty value", "app="),
  selected("selects nothing", "app=none"),
  selected("compares numbers", "app>5"),
  selected("refuses a broken selector", "app=web=x"),
  selected("refuses an unknown operator", "app like web"),
  selected("refuses an empty set", "app in ()"),
  selected("refuses an unclosed set", "app in (web"),
  selected("refuses a bad key", "a b c"),
  selected("refuses a bad value", "app=a b"),
  selected("refuses a dangling comma", "app=web,"),
  selected("selects by name", "metadata.name=a", "fieldSelector"),
  selected("selects by other names", "metadata.name!=a,metadata.name!=kube-root-ca.crt", "fieldSelector"),
  selected("selects by namespace", "metadata.namespace={ns},metadata.name=b", "fieldSelector"),
  selected("refuses an unknown field", "data.a=1", "fieldSelector"),
  selected("refuses a broken field selector", "metadata.name", "fieldSelector"),
  {
    name: "lists in chunks",
    steps: [
      ...labelled,
      { request: `GET ${maps}?labelSelector=${mine}&limit=2`, save: { token: "metadata.continue" } },
      {
        request: `GET ${maps}?labelSelector=${mine}&limit=2&continue={token}`,
        only: ["items.length", "items.0.metadata.name"],
      },
    ],
  },
  {
    name: "counts what remains without a selector",
    steps: [...labelled, { request: `GET ${maps}?limit=2`, only: ["metadata.remainingItemCount", "items.length"] }],
  },
  {
    name: "continues in the state of the first chunk",
    steps: [
      ...labelled,
      {
        request: `GET ${maps}?labelSelector=${mine}&limit=1`,
        save: { token: "metadata.continue" },
        only: ["items.length"],
      },
      { request: `DELETE ${maps}/c`, only: ["status"] },
      { request: `POST ${maps}`, body: { metadata: { name: "bb", labels: { mine: "yes" } } }, only: ["metadata.name"] },
      {
        request: `GET ${maps}?labelSelector=${mine}&continue={token}`,
        only: ["items.length", "items.0.metadata.name", "items.1.metadata.name", "items.2.metadata.name"],
      },
    ],
  },
  {
    name: "refuses a broken continue token",
    steps: [{ request: `GET ${maps}?continue=garbage`, only: ["code", "reason"] }],
  },
  {
    name: "refuses a negative limit kindly",
    steps: [...labelled, { request: `GET ${maps}?labelSelector=${mine}&limit=-1`, only: ["items.length", "code"] }],
  },
  { name: "refuses a limit that is no number", steps: [{ request: `GET ${maps}?limit=many` }] },
  {
    name: "lists at an exact version",
    steps: [
      ...labelled,
      {
        request: `GET ${maps}?labelSelector=${mine}&resourceVersion={rvb}&resourceVersionMatch=Exact`,
        only: ["items.length", "items.1.metadata.name"],
      },
    ],
  },
  {
    name: "lists not older than a version",
    steps: [
      ...labelled,
      {
        request: `GET ${maps}?labelSelector=${mine}&resourceVersion={rvb}&resourceVersionMatch=NotOlderThan`,
        only: ["items.length"],
      },
    ],
  },
  {
    name: "lists at any version",
    steps: [...labelled, { request: `GET ${maps}?labelSelector=${mine}&resourceVersion=0`, only: ["items.length"] }],
  },
  { name: "refuses a match without version", steps: [{ request: `GET ${maps}?resourceVersionMatch=Exact` }] },
  {
    name: "refuses an unknown match",
    steps: [{ request: `GET ${maps}?resourceVersion=5&resourceVersionMatch=Roughly` }],
  },
  {
    name: "refuses exactly any version",
    steps: [{ request: `GET ${maps}?resourceVersion=0&resourceVersionMatch=Exact` }],
  },
  { name: "refuses a version that is no number", steps: [{ request: `GET ${maps}?resourceVersion=abc` }] },
  { name: "refuses a negative version", steps: [{ request: `GET ${maps}?resourceVersion=-5` }] },
  {
    name: "lists metadata only",
    steps: [
      ...labelled,
      {
        request: `GET ${maps}?labelSelector=${mine}&limit=1`,
        headers: { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" },
      },
    ],
  },
  {
    name: "reads metadata only",
    steps: [
      ...labelled,
      {
        request: `GET ${maps}/a`,
        headers: { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json" },
      },
    ],
  },
  {
    name: "lists across namespaces",
    steps: [
      ...labelled,
      {
        request: `GET /api/v1/configmaps?fieldSelector=${encodeURIComponent("metadata.namespace={ns},metadata.name=a")}`,
        only: ["kind", "items.length", "items.0.metadata.name"],
      },
    ],
  },
  {
    name: "selects Secrets by type",
    steps: [
      {
        request: "POST /api/v1/namespaces/{ns}/secrets",
        body: { metadata: { name: "s" }, type: "example.com/t" },
        only: ["type"],
      },
      {
        request: "GET /api/v1/namespaces/{ns}/secrets?fieldSelector=type%3Dexample.com%2Ft",
        only: ["items.length", "items.0.metadata.name"],
      },
    ],
  },
  {
    name: "deletes a selection",
    steps: [
      ...labelled,
      {
        request: `DELETE ${maps}?labelSelector=${encodeURIComponent("app=web")}`,
        only: ["kind", "items.length", "status"],
      },
      { request: `GET ${maps}?labelSelector=${mine}`, only: ["items.length"] },
    ],
  },
];
