import type { ConformanceCase, RequestStep } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const post = (body: unknown, type?: string): RequestStep => ({
  request: `POST ${maps}`,
  body,
  ...(type === undefined ? {} : { type }),
});
const map: RequestStep = post({ metadata: { name: "m" }, data: { a: "1" } });
const apply = (body: unknown, query = "fieldManager=one"): RequestStep => ({
  request: `PATCH ${maps}/m?${query}`,
  type: "application/apply-patch+yaml",
  body,
});

const json: Readonly<Record<string, string>> = {
  "an open object": "{",
  "an open text": '{"metadata":{"name":"x',
  "an open list": '{"metadata":{"finalizers":["a/b"',
  "text after the object": '{"metadata":{"name":"x"}} x',
  "two objects": '{"metadata":{"name":"x"}}{"metadata":{"name":"y"}}',
  "a comma too many": '{"metadata":{"name":"x"},}',
  "a missing colon": '{"metadata" {"name":"x"}}',
  "single quotes": "{'a':1}",
  "no quotes": "hello",
  NaN: '{"metadata":NaN}',
  "a leading zero": '{"metadata":{"generation":01}}',
  "a control character": '{"metadata":{"name":"a\u0001"}}',
  "a new line in a text": '{"metadata":{"name":"a\nb"}}',
  "an unknown escape": '{"metadata":{"name":"\\x"}}',
  "a byte order mark": "\ufeff{}",
  "deep nesting": `{"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  nothing: "",
  "an array": "[]",
  "a number as kind": '{"kind":5}',
  "a version of three parts": '{"apiVersion":"a/b/c","kind":"ConfigMap"}',
  "a version in the words of a refusal": '{"apiVersion":"a/b/cannot be handled","kind":"ConfigMap"}',
  "metadata that is a list": '{"metadata":[]}',
};

const yaml: Readonly<Record<string, string>> = {
  "an open list": "a: [",
  "a tab": "a:\n\tb: 1",
  "a wrong indentation": "metadata:\n  name: x\n bad: 1",
  "an unknown anchor": "a: *x",
  "two colons": "a: b: c",
  "an open quote": "a: 'b",
  "a map as key": "? {a: b}\n: c",
  "a list": "- a\n",
  nothing: "# nothing\n",
};

const labels = [
  "=",
  "!",
  ",a",
  "-a",
  "a in",
  "a in (",
  "a notin b",
  "a=-b",
  "a=(b)",
  "A/b/c=d",
  "/a=b",
  "a/=b",
  "EX.COM/a=b",
  "a<x",
  "a>",
  `a=${"x".repeat(64)}`,
  `${"x".repeat(70)}=a`,
];
const fields = ["=x", "metadata.name=x=y", "metadata.name=a\\xb", "status.phase=Running,foo", "metadata.name=a\\,b"];
const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const version = "meta.k8s.io/v1";
const lists = [
  "continue=x",
  "continue=%7B",
  `continue=${token([])}`,
  `continue=${token(null)}`,
  `continue=${token("x")}`,
  `continue=${token({ v: version, rv: "5" })}`,
  `continue=${token({ v: version, rv: 1.5, start: "x" })}`,
  `continue=${token({ start: [], v: 1 })}`,
  `continue=${token({ v: version, rv: 5 })}`,
  `continue=${token({ v: "v2", rv: 1, start: "x" })}`,
  `continue=${token({ v: version, rv: 0, start: "x" })}`,
  `continue=${token({ v: version, rv: 5, start: "/../" })}`,
  "continue=x&resourceVersion=5",
  "resourceVersionMatch=Foo",
  "sendInitialEvents=true",
];
const writes = ["dryRun=", "dryRun=x&fieldValidation=y", "force=true"];
const verbs: readonly ((query: string) => RequestStep)[] = [
  (query) => ({ request: `POST ${maps}?${query}`, body: { metadata: { name: "n" } } }),
  (query) => ({ request: `PUT ${maps}/m?${query}`, body: { metadata: { name: "m" } } }),
  (query) => ({ request: `PATCH ${maps}/m?${query}`, type: "application/merge-patch+json", body: {} }),
  (query) => apply({ apiVersion: "v1", kind: "ConfigMap" }, query),
];
const listsOnly = (name: string, query: string): ConformanceCase => ({
  name,
  steps: [{ request: `GET ${maps}?${query}`, only: ["kind", "status", "reason", "code", "message", "details"] }],
});

/** Bodies, selectors and options that can't be understood: texts and codes as a person reads them. */
export const malformed: readonly ConformanceCase[] = [
  ...Object.entries(json).map(([name, body]) => ({ name: `refuses JSON: ${name}`, steps: [post(body)] })),
  ...Object.entries(yaml).map(([name, body]) => ({
    name: `refuses YAML: ${name}`,
    steps: [post(body, "application/yaml")],
  })),
  ...labels.map((text) => listsOnly(`refuses labels ${text}`, `labelSelector=${encodeURIComponent(text)}`)),
  ...fields.map((text) => listsOnly(`reads fields ${text}`, `fieldSelector=${encodeURIComponent(text)}`)),
  ...lists.map((query) => listsOnly(`refuses a list with ${query}`, query)),
  ...["x", "-1", "99999999999"].map((text) => ({
    name: `refuses to read at version ${text}`,
    steps: [map, { request: `GET ${maps}/m?resourceVersion=${text}` }],
  })),
  ...writes.map((query) => ({
    name: `refuses writes with ${query}`,
    steps: [map, ...verbs.map((verb) => verb(query))],
  })),
  ...["{", "[]", "null", "hello", '{"propagationPolicy":""}'].map((body) => ({
    name: `reads delete options ${body}`,
    steps: [map, { request: `DELETE ${maps}/m`, body }],
  })),
  { name: "refuses an empty propagation policy", steps: [map, { request: `DELETE ${maps}/m?propagationPolicy=` }] },
  ...["{", "[]", '"x"', ""].map((body) => ({ name: `refuses to apply ${body}`, steps: [map, apply(body)] })),
  {
    name: "applies without a name",
    steps: [
      apply({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } }),
      map,
      apply({ apiVersion: "v1", kind: "ConfigMap", data: { a: "2" } }),
      apply({ apiVersion: "v1", kind: "ConfigMap", data: { b: "2" } }),
    ],
  },
];
