import { deepEqual, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { type History, historyProblems, type Operation } from "./history.ts";

const operation = (
  kind: Operation["kind"],
  invoked: number,
  answered: number,
  more: Partial<Operation> = {},
): Operation => ({
  kind,
  object: "a",
  invoked,
  answered,
  status: 200,
  ...more,
});
const event = (type: string, version: number, value: string): History["watched"][number] => ({
  type,
  object: "a",
  version,
  value,
});

const good: History = {
  operations: [
    operation("create", 0, 1, { version: 2, value: "one" }),
    operation("get", 2, 5, { version: 2, seen: "one" }),
    operation("update", 3, 4, { version: 3, base: 2, value: "two" }),
    operation("delete", 6, 7, { base: 3 }),
    operation("get", 8, 9, { status: 404 }),
    operation("create", 10, 11, { version: 5, value: "three" }),
  ],
  watched: [
    event("ADDED", 2, "one"),
    event("MODIFIED", 3, "two"),
    event("DELETED", 4, "two"),
    event("ADDED", 5, "three"),
  ],
  recovered: [{ object: "a", version: 5, value: "three" }],
};

/** The history with one operation changed. */
const changed = (index: number, more: Partial<Operation>): History => ({
  ...good,
  operations: good.operations.map((one, at) => (at === index ? { ...one, ...more } : one)),
});

describe("historyProblems", () => {
  test("accepts what could have happened", () => deepEqual(historyProblems(good), []));

  test("accepts a write without an answer as done or not done", () => {
    const { answered: _, status: _1, ...lost } = operation("update", 12, 0, { base: 5, value: "four" });
    const operations = [...good.operations, lost];
    deepEqual(historyProblems({ ...good, operations }), []);
    deepEqual(historyProblems({ ...good, operations, recovered: [{ object: "a", version: 6, value: "four" }] }), []);
  });

  const bad: readonly { readonly name: string; readonly history: History; readonly problem: RegExp }[] = [
    { name: "a lost write", history: { ...good, recovered: [] }, problem: /after the kill a is undefined/ },
    {
      name: "an old value after the kill",
      history: { ...good, recovered: [{ object: "a", version: 3, value: "two" }] },
      problem: /after the kill/,
    },
    { name: "a stale read", history: changed(1, { invoked: 4.5 }), problem: /missed/ },
    {
      name: "a read of the future",
      history: changed(1, { seen: "three", answered: 5 }),
      problem: /before it was sent/,
    },
    { name: "a read of what was deleted", history: changed(4, { status: 200, seen: "two" }), problem: /missed/ },
    { name: "an absence too early", history: changed(1, { status: 404, seen: "" }), problem: /missed/ },
    { name: "a read of nobody's value", history: changed(1, { seen: "nine" }), problem: /nobody wrote/ },
    { name: "an update of an old base", history: changed(2, { base: 1 }), problem: /is not based on/ },
    { name: "two creates", history: changed(2, { kind: "create" }), problem: /can't follow/ },
    { name: "versions against time", history: changed(5, { version: 1 }), problem: /lower version/ },
    {
      name: "a missed event",
      history: { ...good, watched: good.watched.filter(({ version }) => version !== 3) },
      problem: /the watch missed/,
    },
    {
      name: "events out of order",
      history: { ...good, watched: good.watched.toReversed() },
      problem: /the watch went from 5 to 4/,
    },
    {
      name: "an event of another value",
      history: { ...good, watched: good.watched.map((one) => (one.version === 3 ? { ...one, value: "x" } : one)) },
      problem: /the watch shows/,
    },
    {
      name: "an event of nobody's write",
      history: { ...good, watched: [...good.watched, event("MODIFIED", 9, "x")] },
      problem: /which nobody wrote/,
    },
  ];
  for (const { name, history, problem } of bad) {
    test(`finds ${name}`, () => match(historyProblems(history).join("\n"), problem));
  }
});
