import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert, integer, property, record } from "fast-check";
import { dueAt, latestAgeMs, rotationPeriodMs, rotationTimerMs } from "./rotation.ts";
import { timesOf } from "./secret.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = { lifetimeMs: 24 * hour, ratio: 0.6 };

describe("rotation arithmetic", () => {
  test("the period is cut to whole minutes", () => {
    equal(rotationPeriodMs(day), 864 * minute);
    equal(rotationPeriodMs({ lifetimeMs: 100 * second, ratio: 0.9 }), minute);
    equal(latestAgeMs(864 * minute), 820.8 * minute);
  });

  const now = 10 * hour;
  const timers: readonly (readonly [string, number | undefined, number, number])[] = [
    ["a minute, nobody knows when", undefined, minute, 57 * second],
    ["a minute, 30 s ago", now - 30 * second, minute, 27 * second],
    ["a minute, 900 s ago", now - 900 * second, minute, 57 * second],
    ["a minute, just now", now, minute, 57 * second],
    ["an hour, 45 minutes ago", now - 45 * minute, hour, 720 * second],
    ["nothing at all", now, 0, 0],
  ];
  for (const [name, lastSync, period, wait] of timers) {
    test(`K7: ${name}`, () => {
      equal(rotationTimerMs(lastSync, now, period), wait);
    });
  }

  test("K8: times come from the annotations; what can't be read is unknown", () => {
    const secretWith = (annotations: Record<string, string>) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { annotations },
    });
    const key = "operator.kyma-project.io/last-sync";
    deepEqual(timesOf(secretWith({})), {});
    deepEqual(timesOf(secretWith({ [key]: "2026-01-05T10:00:00Z" })), { lastSync: Date.parse("2026-01-05T10:00:00Z") });
    deepEqual(timesOf(secretWith({ [key]: "yesterday" })), {});
  });
});

describe("dueAt", () => {
  test("lies between half and a whole latest age, and before the expiry", () => {
    const latest = latestAgeMs(rotationPeriodMs(day));
    assert(
      property(
        record({ lastSync: integer({ min: 0, max: 10 ** 13 }), id: integer({ min: 0, max: 10_000 }) }),
        ({ lastSync, id }) => {
          const age = dueAt({ lastSync, name: `c-${id}` }, day) - lastSync;
          ok(age >= latest / 2 - 1 && age <= latest + 1, `${age}`);
          ok(age < day.lifetimeMs);
        },
      ),
    );
  });

  test("a shorter grant is replaced sooner", () => {
    const age = dueAt({ lastSync: 0, expiresAt: hour, name: "c" }, day);
    ok(age <= 0.6 * hour, `${age}`);
  });

  test("clusters in step are back in place after two rotations", () => {
    const place = (rotations: number, lastSync: number): number => {
      let at = lastSync;
      for (let index = 0; index < rotations; index += 1) at = dueAt({ lastSync: at, name: "c" }, day);
      return at % latestAgeMs(rotationPeriodMs(day));
    };
    const places = [0, 1, 5, 9, 13].map((hours) => Math.round(place(3, hours * hour)));
    deepEqual(new Set(places).size, 1);
  });
});
