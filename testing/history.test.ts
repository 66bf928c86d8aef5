import { deepEqual, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { historyProblems } from "./history.ts";
import type { History, Life, Operation, WatchedEvent } from "./history-types.ts";

type More = Partial<Operation>;
const operation = (kind: Operation["kind"], invoked: number, answered: number, more: More = {}): Operation => ({
  kind,
  object: "a",
  invoked,
  answered,
  status: kind === "create" ? 201 : 200,
  ...more,
});
const lost = (kind: Operation["kind"], invoked: number, more: More): Operation => ({
  kind,
  object: "a",
  invoked,
  ...more,
});
const event = (type: string, version: number, value: string, moment: number): WatchedEvent => ({
  type,
  object: "a",
  version,
  value,
  moment,
});
const found = (version: number, value: string): Life["recovered"]["objects"][number] => ({
  object: "a",
  version,
  value,
});

/** Moments 0 to 29, then a kill. */
const life: Life = {
  operations: [
    operation("create", 0, 1, { version: 2, value: "one" }),
    operation("get", 2, 6, { version: 2, seen: "one" }),
    operation("update", 3, 4, { version: 3, base: 2, value: "two" }),
    operation("update", 7, 8, { status: 409, base: 2, value: "refused" }),
    operation("delete", 9, 10, { base: 3 }),
    operation("get", 12, 13, { status: 404 }),
    operation("create", 14, 15, { version: 5, value: "three" }),
  ],
  watched: [
    event("ADDED", 2, "one", 1.5),
    event("MODIFIED", 3, "two", 5),
    event("DELETED", 4, "two", 11),
    event("ADDED", 5, "three", 16),
  ],
  killed: 30,
  recovered: { version: 5, objects: [found(5, "three")] },
};

const changed = (index: number, more: More): History => [
  { ...life, operations: life.operations.map((one, at) => (at === index ? { ...one, ...more } : one)) },
];
const after = (
  operations: readonly Operation[],
  recovered: Life["recovered"],
  watched: readonly WatchedEvent[] = [],
) => [{ ...life, operations: [...life.operations, ...operations], watched: [...life.watched, ...watched], recovered }];
const second = (more: Partial<Life>): History => [
  life,
  { operations: [], watched: [], killed: 60, recovered: life.recovered, ...more },
];

const four = lost("update", 20, { base: 5, value: "four" });
const five = lost("update", 21, { base: 5, value: "five" });
const end = lost("delete", 22, { base: 5 });
const asBefore = life.recovered;

describe("historyProblems", () => {
  const good: readonly { readonly name: string; readonly history: History }[] = [
    { name: "what could have happened", history: [life] },
    { name: "a lost write that was not done", history: after([four], asBefore) },
    { name: "a lost write that was done", history: after([four], { version: 6, objects: [found(6, "four")] }) },
    {
      name: "the second of two lost writes",
      history: after([four, five], { version: 6, objects: [found(6, "five")] }),
    },
    { name: "a lost delete that was done", history: after([four, end], { version: 6, objects: [] }) },
    {
      name: "a lost write that a read saw, and its deletion by a lost one",
      history: after([four, operation("get", 23, 24, { version: 6, seen: "four" }), lost("delete", 25, { base: 6 })], {
        version: 7,
        objects: [],
      }),
    },
    {
      name: "a lost write that the watch showed and a write upon it",
      history: after(
        [four, operation("update", 24, 25, { base: 6, version: 7, value: "six" })],
        { version: 7, objects: [found(7, "six")] },
        [event("MODIFIED", 6, "four", 23)],
      ),
    },
    { name: "a second life without writes", history: second({}) },
    {
      name: "writes in a second life",
      history: second({
        operations: [operation("update", 40, 41, { base: 5, version: 8, value: "six" })],
        watched: [event("MODIFIED", 8, "six", 42)],
        recovered: { version: 8, objects: [found(8, "six")] },
      }),
    },
  ];
  for (const { name, history } of good) test(`accepts ${name}`, () => deepEqual(historyProblems(history), []));

  const stuck = /can't go on from/;
  const bad: readonly { readonly name: string; readonly history: History; readonly problem?: RegExp }[] = [
    { name: "an answered write that is gone", history: after([], { version: 5, objects: [] }) },
    { name: "an old value after the kill", history: after([], { version: 5, objects: [found(3, "two")] }) },
    { name: "a value that nobody wrote", history: after([], { version: 6, objects: [found(6, "x")] }) },
    { name: "a list that is older than its objects", history: after([], { ...asBefore, version: 4 }) },
    { name: "a stale read", history: changed(1, { invoked: 4.5 }) },
    { name: "a read of the future", history: changed(1, { seen: "three", version: 5, answered: 5 }) },
    { name: "a read of what was deleted", history: changed(5, { status: 200, seen: "two", version: 3 }) },
    { name: "a read with another version", history: changed(1, { version: 3 }), problem: /have version 3/ },
    { name: "an absence too early", history: changed(1, { status: 404, seen: "" }) },
    { name: "an update of an old base", history: changed(2, { base: 1 }) },
    { name: "a refused update of the right base", history: changed(3, { base: 3 }) },
    { name: "a refused create of what is not there", history: changed(6, { status: 409 }) },
    { name: "an answer that no request may have", history: changed(3, { status: 504 }) },
    { name: "two creates", history: changed(2, { kind: "create", status: 201 }) },
    { name: "versions against time", history: changed(6, { version: 1 }) },

    {
      name: "both of two lost writes on one base",
      history: after([four, five], { version: 7, objects: [found(7, "x")] }),
    },
    {
      name: "a lost write upon what another one may have replaced",
      history: after([four, operation("update", 23, 24, { base: 5, version: 6, value: "six" })], {
        version: 7,
        objects: [found(7, "four")],
      }),
    },
    {
      name: "a lost delete of what an answered write had replaced",
      history: after([end, operation("update", 23, 24, { base: 5, version: 6, value: "six" })], {
        version: 7,
        objects: [],
      }),
    },
    {
      name: "an answered write that is gone beside a lost one",
      history: after([operation("update", 17, 18, { base: 5, version: 6, value: "six" }), four], asBefore),
    },
    {
      name: "a lost write that is undone after it was seen",
      history: after([four, operation("get", 23, 24, { version: 6, seen: "four" })], asBefore),
    },
    {
      name: "a lost write that is undone after the watch showed it",
      history: after([four], asBefore, [event("MODIFIED", 6, "four", 23)]),
    },
    {
      name: "a lost write that was done twice",
      history: after([four, operation("get", 23, 24, { version: 6, seen: "four" })], {
        version: 7,
        objects: [found(7, "four")],
      }),
    },
    {
      name: "a lost write before what the watch showed without it",
      history: after([{ ...four, object: "b", kind: "create" }], {
        version: 6,
        objects: [found(5, "three"), { object: "b", version: 4.5, value: "four" }],
      }),
    },
    {
      name: "a lost write that is done after the kill",
      history: [
        ...after([four], asBefore),
        {
          operations: [operation("get", 40, 41, { version: 6, seen: "four" })],
          watched: [],
          killed: 60,
          recovered: { version: 6, objects: [found(6, "four")] },
        },
      ],
    },
    { name: "what is gone in a second life", history: second({ recovered: { version: 5, objects: [] } }) },
    {
      name: "a version that a second life gives again",
      history: second({
        operations: [operation("update", 40, 41, { base: 5, version: 5, value: "six" })],
        recovered: { version: 5, objects: [found(5, "six")] },
      }),
    },

    { name: "a missed event", history: [{ ...life, watched: life.watched.filter(({ version }) => version !== 3) }] },
    {
      name: "events out of order",
      history: [{ ...life, watched: life.watched.toReversed() }],
      problem: /the watch went from 5 to 4/,
    },
    {
      name: "an event of another value",
      history: [{ ...life, watched: life.watched.map((one) => (one.version === 3 ? { ...one, value: "x" } : one)) }],
    },
    {
      name: "an event with another version",
      history: [{ ...life, watched: life.watched.map((one) => (one.version === 3 ? { ...one, version: 3.5 } : one)) }],
    },
    { name: "an event of nobody's write", history: after([], asBefore, [event("MODIFIED", 9, "x", 25)]) },
    {
      name: "an event before its write was sent",
      history: [{ ...life, watched: life.watched.map((one) => (one.version === 5 ? { ...one, moment: 13.5 } : one)) }],
    },
    {
      name: "a version lower than that of another object that was seen before",
      history: after([operation("create", 17, 18, { object: "b", version: 4.5, value: "b" })], {
        version: 5,
        objects: [found(5, "three"), { object: "b", version: 4.5, value: "b" }],
      }),
      problem: /b of b has version 4.5, sent after three of a had 5/,
    },
    {
      name: "one version of two objects",
      history: after([operation("create", 13, 18, { object: "b", version: 5, value: "b" })], {
        version: 5,
        objects: [found(5, "three"), { object: "b", version: 5, value: "b" }],
      }),
      problem: /three of a and b of b have version 5/,
    },
  ];
  for (const { name, history, problem = stuck } of bad) {
    test(`finds ${name}`, () => match(historyProblems(history).join("\n"), problem));
  }
});
