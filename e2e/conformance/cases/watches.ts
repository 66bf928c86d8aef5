import type { ConformanceCase, Step } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const create = (name: string, labels: object = { mine: "yes" }): Step => ({
  request: `POST ${maps}`,
  body: { metadata: { name, labels } },
  only: ["metadata.name"],
  save: { rv: "metadata.resourceVersion" },
});
const label = (name: string, labels: object): Step => ({
  request: `PATCH ${maps}/${name}`,
  type: "application/merge-patch+json",
  body: { metadata: { labels } },
  only: ["metadata.name"],
});
const remove = (name: string): Step => ({ request: `DELETE ${maps}/${name}`, only: ["status"] });
const watch = (query: string, headers?: Record<string, string>): Step => ({
  watch: "w",
  path: `${maps}?watch=true&${query}`,
  ...(headers === undefined ? {} : { headers }),
});
const mine = "labelSelector=mine%3Dyes";
const events = (count: number): Step => ({ events: "w", count });
const refused = (query: string): Step => ({ request: `GET ${maps}?watch=true&timeoutSeconds=1&${query}` });

/** Watches. */
export const watches: readonly ConformanceCase[] = [
  { name: "watch begins with what is there", steps: [create("a"), create("b"), watch(mine), events(2)] },
  { name: "watch begins at any version", steps: [create("a"), watch(`${mine}&resourceVersion=0`), events(1)] },
  {
    name: "watch goes on from a version",
    steps: [create("a"), watch(`${mine}&resourceVersion={rv}`), create("b"), remove("b"), events(2)],
  },
  {
    name: "watch sees changes",
    steps: [create("a"), watch(`${mine}&resourceVersion={rv}`), label("a", { x: "y" }), remove("a"), events(2)],
  },
  {
    name: "watch sees an object come into the selection",
    steps: [create("a", {}), watch(`${mine}&resourceVersion={rv}`), label("a", { mine: "yes" }), events(1)],
  },
  {
    name: "watch sees an object leave the selection",
    steps: [create("a"), watch(`${mine}&resourceVersion={rv}`), label("a", { mine: null }), events(1)],
  },
  {
    name: "watch by name",
    steps: [
      create("a"),
      create("b"),
      watch(`fieldSelector=metadata.name%3Da&resourceVersion={rv}`),
      label("b", { x: "y" }),
      label("a", { x: "y" }),
      events(1),
    ],
  },
  {
    name: "watch of one object by path",
    steps: [
      create("a"),
      { watch: "w", path: `${maps}/a?watch=true&resourceVersion={rv}` },
      label("a", { x: "y" }),
      events(1),
    ],
  },
  {
    name: "watch of metadata only",
    steps: [
      create("a"),
      watch(mine, { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" }),
      events(1),
    ],
  },
  {
    name: "watch as a table",
    steps: [
      create("a"),
      create("b"),
      watch(mine, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }),
      events(2),
    ],
  },
  {
    name: "watch list with bookmark",
    steps: [
      create("a"),
      watch(`${mine}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`),
      events(2),
    ],
  },
  {
    name: "watch list from any version",
    steps: [
      create("a"),
      watch(
        `${mine}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0`,
      ),
      events(2),
    ],
  },
  {
    name: "watch list goes on",
    steps: [
      create("a"),
      watch(`${mine}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`),
      events(2),
      create("b"),
      events(3),
    ],
  },
  { name: "watch list needs a match", steps: [refused("sendInitialEvents=true")] },
  {
    name: "watch list refuses an exact match",
    steps: [refused("sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1")],
  },
  { name: "watch refuses a match alone", steps: [refused("resourceVersionMatch=NotOlderThan&resourceVersion=1")] },
  { name: "watch refuses a version that is no number", steps: [refused("resourceVersion=abc")] },
  { name: "watch refuses a broken selector", steps: [refused("labelSelector=a%20b%20c")] },
  { name: "watch refuses an unknown field", steps: [refused("fieldSelector=data%3Dx")] },
  {
    name: "watch ends in time",
    steps: [{ request: `GET ${maps}?watch=true&timeoutSeconds=1&labelSelector=none%3Dnone` }],
  },
  {
    name: "watch of a deletion with finalizer",
    steps: [
      {
        request: `POST ${maps}`,
        body: { metadata: { name: "f", labels: { mine: "yes" }, finalizers: ["a.b/c"] } },
        save: { rv: "metadata.resourceVersion" },
        only: ["metadata.name"],
      },
      watch(`${mine}&resourceVersion={rv}`),
      { request: `DELETE ${maps}/f`, only: ["kind"] },
      {
        request: `PATCH ${maps}/f`,
        type: "application/merge-patch+json",
        body: { metadata: { finalizers: null } },
        only: ["kind"],
      },
      events(2),
    ],
  },
];
