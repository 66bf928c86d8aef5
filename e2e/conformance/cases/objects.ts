import type { ConformanceCase } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const map = (name: string, data: Record<string, string> = { a: "1" }): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});
const create = {
  request: `POST ${maps}`,
  body: map("one"),
  save: { rv: "metadata.resourceVersion", uid: "metadata.uid" },
};

/** Create, read and replace one object. */
export const objects: readonly ConformanceCase[] = [
  { name: "creates an object", steps: [create] },
  { name: "reads an object", steps: [create, { request: `GET ${maps}/one` }] },
  { name: "answers HEAD without a body", steps: [create, { request: `HEAD ${maps}/one` }] },
  { name: "knows no absent object", steps: [{ request: `GET ${maps}/absent` }] },
  {
    name: "knows no absent namespace on create",
    steps: [{ request: "POST /api/v1/namespaces/absent-{ns}/configmaps", body: map("one") }],
  },
  {
    name: "lists an absent namespace as empty",
    steps: [{ request: "GET /api/v1/namespaces/absent-{ns}/configmaps", only: ["kind", "items"] }],
  },
  { name: "refuses to create twice", steps: [create, { request: `POST ${maps}`, body: map("one") }] },
  { name: "fills kind and version", steps: [{ request: `POST ${maps}`, body: { metadata: { name: "bare" } } }] },
  {
    name: "fills the version alone",
    steps: [{ request: `POST ${maps}`, body: { kind: "ConfigMap", metadata: { name: "bare" } } }],
  },
  {
    name: "refuses another kind",
    steps: [{ request: `POST ${maps}`, body: { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } } }],
  },
  {
    name: "refuses another version",
    steps: [{ request: `POST ${maps}`, body: { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "x" } } }],
  },
  {
    name: "refuses another group",
    steps: [{ request: `POST ${maps}`, body: { apiVersion: "apps/v1", kind: "ConfigMap", metadata: { name: "x" } } }],
  },
  {
    name: "refuses a resource version on create",
    steps: [{ request: `POST ${maps}`, body: { ...map("one"), metadata: { name: "one", resourceVersion: "5" } } }],
  },
  {
    name: "refuses another namespace than the path's",
    steps: [{ request: `POST ${maps}`, body: { ...map("one"), metadata: { name: "one", namespace: "default" } } }],
  },
  {
    name: "generates a name",
    steps: [{ request: `POST ${maps}`, body: { ...map(""), metadata: { generateName: "gen-" } } }],
  },
  {
    name: "prefers the name to generateName",
    steps: [{ request: `POST ${maps}`, body: { ...map(""), metadata: { name: "own", generateName: "gen-" } } }],
  },
  { name: "needs a name", steps: [{ request: `POST ${maps}`, body: { ...map(""), metadata: {} } }] },
  {
    name: "ignores system fields on create",
    steps: [
      {
        request: `POST ${maps}`,
        body: {
          ...map("one"),
          metadata: {
            name: "one",
            uid: "11111111-1111-1111-1111-111111111111",
            creationTimestamp: "2001-01-01T00:00:00Z",
            generation: 7,
            selfLink: "/x",
            deletionTimestamp: "2001-01-01T00:00:00Z",
          },
        },
      },
    ],
  },
  { name: "replaces an object", steps: [create, { request: `PUT ${maps}/one`, body: map("one", { b: "2" }) }] },
  {
    name: "replaces with the right version",
    steps: [
      create,
      {
        request: `PUT ${maps}/one`,
        body: { ...map("one", { b: "2" }), metadata: { name: "one", resourceVersion: "{rv}" } },
      },
    ],
  },
  {
    name: "refuses to replace with an old version",
    steps: [
      create,
      { request: `PUT ${maps}/one`, body: map("one", { b: "2" }) },
      {
        request: `PUT ${maps}/one`,
        body: { ...map("one", { c: "3" }), metadata: { name: "one", resourceVersion: "{rv}" } },
      },
    ],
  },
  {
    name: "refuses to replace another uid",
    steps: [
      create,
      {
        request: `PUT ${maps}/one`,
        body: { ...map("one"), metadata: { name: "one", uid: "11111111-1111-1111-1111-111111111111" } },
      },
    ],
  },
  { name: "refuses to replace under another name", steps: [create, { request: `PUT ${maps}/one`, body: map("two") }] },
  {
    name: "refuses to replace without a name",
    steps: [create, { request: `PUT ${maps}/one`, body: { ...map("one"), metadata: {} } }],
  },
  { name: "knows no absent object on replace", steps: [{ request: `PUT ${maps}/absent`, body: map("absent") }] },
  {
    name: "keeps the version when nothing changes",
    steps: [
      create,
      { request: `PUT ${maps}/one`, body: map("one"), save: { again: "metadata.resourceVersion" } },
      { request: `PUT ${maps}/one`, body: { ...map("one"), metadata: { name: "one", resourceVersion: "{rv}" } } },
    ],
  },
  {
    name: "keeps the creation time",
    steps: [
      create,
      {
        request: `PUT ${maps}/one`,
        body: { ...map("one"), metadata: { name: "one", creationTimestamp: "2001-01-01T00:00:00Z" } },
      },
    ],
  },
  {
    name: "adds labels and annotations",
    steps: [
      create,
      {
        request: `PUT ${maps}/one`,
        body: { ...map("one"), metadata: { name: "one", labels: { a: "b" }, annotations: { c: "d" } } },
      },
    ],
  },
  { name: "refuses POST on an object", steps: [create, { request: `POST ${maps}/one`, body: map("one") }] },
  { name: "refuses PUT on a collection", steps: [{ request: `PUT ${maps}`, body: map("one") }] },
  {
    name: "refuses PATCH on a collection",
    steps: [{ request: `PATCH ${maps}`, body: {}, type: "application/merge-patch+json" }],
  },
  { name: "refuses to create across namespaces", steps: [{ request: "POST /api/v1/configmaps", body: map("one") }] },
  { name: "knows no unknown resource", steps: [{ request: "GET /api/v1/namespaces/{ns}/gadgets" }] },
  { name: "knows no unknown group", steps: [{ request: "GET /apis/nobody.example.com/v1/things" }] },
  { name: "knows no unknown version", steps: [{ request: "GET /apis/apps/v9/deployments" }] },
  { name: "knows no unknown path", steps: [{ request: "GET /nowhere" }] },
  { name: "knows no unknown subresource", steps: [create, { request: `GET ${maps}/one/status` }] },
  { name: "knows no subresource of nothing", steps: [create, { request: `GET ${maps}/one/foo` }] },
  {
    name: "returns a dry run without keeping it",
    steps: [{ request: `POST ${maps}?dryRun=All`, body: map("dry") }, { request: `GET ${maps}/dry` }],
  },
  {
    name: "dry runs a replace",
    steps: [
      create,
      { request: `PUT ${maps}/one?dryRun=All`, body: map("one", { b: "2" }) },
      { request: `GET ${maps}/one` },
    ],
  },
  {
    name: "dry runs a deletion",
    steps: [create, { request: `DELETE ${maps}/one?dryRun=All` }, { request: `GET ${maps}/one` }],
  },
  {
    name: "dry run of an existing name conflicts",
    steps: [create, { request: `POST ${maps}?dryRun=All`, body: map("one") }],
  },
  { name: "refuses an unknown dry run", steps: [{ request: `POST ${maps}?dryRun=Maybe`, body: map("dry") }] },
  { name: "records the field manager", steps: [{ request: `POST ${maps}?fieldManager=me`, body: map("one") }] },
  {
    name: "refuses a long field manager",
    steps: [{ request: `POST ${maps}?fieldManager=${"m".repeat(129)}`, body: map("one") }],
  },
  {
    name: "keeps two updaters apart",
    steps: [
      { request: `POST ${maps}?fieldManager=me`, body: map("one") },
      { request: `PUT ${maps}/one?fieldManager=you`, body: map("one", { a: "1", b: "2" }) },
    ],
  },
  {
    name: "takes a field from its updater",
    steps: [
      { request: `POST ${maps}?fieldManager=me`, body: map("one") },
      { request: `PUT ${maps}/one?fieldManager=you`, body: map("one", { a: "9" }) },
    ],
  },
  {
    name: "forgets managers on request",
    steps: [
      { request: `POST ${maps}?fieldManager=me`, body: map("one") },
      {
        request: `PUT ${maps}/one?fieldManager=me`,
        body: { ...map("one"), metadata: { name: "one", managedFields: [{}] } },
      },
    ],
  },
  {
    name: "holds binary data",
    steps: [{ request: `POST ${maps}`, body: { metadata: { name: "bin" }, binaryData: { b: "AAEC" } } }],
  },
  { name: "refuses a bad key", steps: [{ request: `POST ${maps}`, body: map("one", { "a b": "1" }) }] },
  {
    name: "makes a map immutable",
    steps: [
      { request: `POST ${maps}`, body: { ...map("one"), immutable: true } },
      { request: `PUT ${maps}/one`, body: { ...map("one", { b: "2" }), immutable: true } },
      { request: `PUT ${maps}/one`, body: map("one") },
    ],
  },
];
