import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { builtIn } from "@kyma-operators/kube";
import type { Change, Informer } from "@kyma-operators/runtime";
import type { Kyma } from "../apis/operator/kyma.ts";
import type { Condition } from "../apis/operator/object.ts";
import { ConditionHistory } from "./history.ts";
import type { ClusterEvent } from "./sources.ts";
import { longestTimeline, timelineOf } from "./timeline.ts";

const condition = (type: string, status: Condition["status"], minute: number): Condition => ({
  type,
  status,
  reason: "Ready",
  message: `${type} ${status}`,
  lastTransitionTime: at(minute),
});
const at = (minute: number): string => `2026-01-05T08:${String(minute).padStart(2, "0")}:00Z`;
const kyma = (...conditions: readonly Condition[]): Kyma => ({
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Kyma",
  metadata: { name: "demo", namespace: "kcp-system", creationTimestamp: at(0) },
  spec: { channel: "regular" },
  status: { conditions },
});
const replaced = (old: Kyma, object: Kyma): Change<Kyma> => ({ type: "updated", old, object });

function eventsOf(...events: readonly ClusterEvent[]): Informer<ClusterEvent> {
  const store = {
    get: () => undefined,
    list: () => events,
    byIndex: (_: string, value: string) => (value === "Kyma/demo" ? events : []),
  };
  return {
    resource: builtIn.coreEvents,
    store,
    synced: true,
    onChange: () => () => undefined,
  };
}
const event = (more: Partial<ClusterEvent>): ClusterEvent => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: {},
  ...more,
});

describe("the timeline of a Kyma", () => {
  test("tells conditions, their past and events, the newest first", () => {
    const history = new ConditionHistory();
    const [first, second] = [kyma(condition("Modules", "False", 1)), kyma(condition("Modules", "True", 5))];
    history.record(replaced(first, second));
    const failed = event({ type: "Warning", reason: "ModuleFailed", message: "no such layer", eventTime: at(3) });
    deepEqual(
      timelineOf([second], { events: eventsOf(failed) }, history).map(({ time, title, mark, text }) => [
        time,
        title,
        mark,
        text,
      ]),
      [
        [at(5), "Modules is True", "ready", "Modules True"],
        [at(3), "ModuleFailed", "warning", "no such layer"],
        [at(1), "Modules is False", "busy", "Modules False"],
        [at(0), "Created", "note", ""],
      ],
    );
  });

  test("keeps the order of what happened within a second", () => {
    const history = new ConditionHistory();
    const [first, second] = [kyma(condition("Modules", "False", 0)), kyma(condition("Modules", "True", 0))];
    history.record(replaced(first, second));
    deepEqual(
      timelineOf([second], {}, history).map(({ title }) => title),
      ["Modules is True", "Modules is False", "Created"],
    );
  });

  test("counts an event that came back, at the time it came back last", () => {
    const series = { count: 7, lastObservedTime: at(9) };
    const again = event({ type: "Normal", reason: "Waiting", message: "", eventTime: at(2), series });
    const [entry] = timelineOf([kyma()], { events: eventsOf(again) }, new ConditionHistory());
    deepEqual([entry?.time, entry?.count, entry?.mark], [at(9), 7, "note"]);
  });

  test("tells of deletion", () => {
    const leaving = kyma();
    leaving.metadata.deletionTimestamp = at(4);
    equal(timelineOf([leaving], {}, new ConditionHistory())[0]?.title, "Deletion requested");
  });

  test("has an end", () => {
    const many = Array.from({ length: 500 }, (_, index) => event({ reason: `R${index}`, eventTime: at(index % 60) }));
    equal(timelineOf([kyma()], { events: eventsOf(...many) }, new ConditionHistory()).length, longestTimeline);
  });
});

describe("past conditions", () => {
  test("are kept when their status changes, not when only the text does", () => {
    const history = new ConditionHistory();
    const [a, b, c] = [
      condition("A", "False", 1),
      condition("A", "True", 2),
      { ...condition("A", "True", 2), message: "x" },
    ];
    history.record(replaced(kyma(a), kyma(b)));
    history.record(replaced(kyma(b), kyma(c)));
    deepEqual(history.of("Kyma", "demo"), [a]);
  });

  test("are bounded per object and forgotten with it", () => {
    const history = new ConditionHistory();
    for (let index = 0; index < 100; index++) {
      const [before, after] = index % 2 === 0 ? (["False", "True"] as const) : (["True", "False"] as const);
      history.record(replaced(kyma(condition("A", before, index % 60)), kyma(condition("A", after, index % 60))));
    }
    equal(history.of("Kyma", "demo").length, 30);
    history.record({ type: "deleted", object: kyma() });
    deepEqual(history.of("Kyma", "demo"), []);
  });
});
