import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert as holds, integer, json, property } from "fast-check";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import { civilFromDays, dayName, daysFromCivil, formatRfc3339, parseRfc3339, parseTimeOfDay } from "./calendar.ts";
import { parsePolicy } from "./policy.ts";
import { needsWindow, windowProblem, windowState } from "./upgrade-gate.ts";
import { findWindow, isActive } from "./window.ts";

const at = (text: string): number => parseRfc3339(text)?.ms ?? Number.NaN;

describe("the calendar", () => {
  test("days and dates convert into each other, as the platform's calendar says", () => {
    holds(
      property(integer({ min: -800_000, max: 800_000 }), (days) => {
        const [year, month, day] = civilFromDays(days);
        equal(daysFromCivil(year, month, day), days);
        const date = new Date(days * 86_400_000);
        deepEqual([year, month, day], [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]);
        equal(dayName(days), ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.getUTCDay()]);
      }),
      { numRuns: 500 },
    );
  });

  test("what is written is read back", () => {
    holds(
      property(integer({ min: 0, max: 4_000_000_000 }), integer({ min: -1439, max: 1439 }), (seconds, offset) => {
        deepEqual(parseRfc3339(formatRfc3339(seconds * 1000, offset)), { ms: seconds * 1000, offsetMinutes: offset });
      }),
      { numRuns: 300 },
    );
  });

  const refused = [
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00+0100",
  ];
  for (const text of refused) test(`refuses ${text}`, () => equal(parseRfc3339(text), undefined));

  test("reads a time of day only with a zone", () => {
    deepEqual(parseTimeOfDay("21:30:00-02:00"), { msOfDay: 77_400_000, offsetMinutes: -120 });
    equal(parseTimeOfDay("21:30:00"), undefined);
  });
});

const policy = parsePolicy(
  JSON.stringify({
    rules: [
      { match: { plan: "trial|free" }, windows: [{ days: ["Mon"], begin: "10:00:00Z", end: "11:00:00Z" }] },
      { match: { region: "^eu-\\d$" }, windows: [{ days: ["Sat"], begin: "22:00:00-03:00", end: "02:00:00-03:00" }] },
      { match: { globalAccountID: "ga" }, windows: [{ begin: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" }] },
    ],
    default: { days: ["Wed"], begin: "01:00:00Z", end: "02:00:00Z" },
  }),
);
const ongoing = [{ ongoing: true }, { minWindowMs: 1_200_000 }];

describe("finding a window", () => {
  // 2026-03-07 is a Saturday.
  const cases = [
    {
      name: "the first matching rule decides",
      runtime: { plan: "trial", region: "eu-1" },
      now: "2026-03-05T00:00:00Z",
      begin: "2026-03-09T10:00:00Z",
    },
    {
      name: "an expression with a backslash is decoded",
      runtime: { region: "eu-1" },
      now: "2026-03-05T00:00:00Z",
      begin: "2026-03-08T01:00:00Z",
    },
    {
      name: "without a rule the default is taken",
      runtime: { plan: "big" },
      now: "2026-03-05T00:00:00Z",
      begin: "2026-03-11T01:00:00Z",
    },
    {
      name: "a rule whose windows are over falls back to the default",
      runtime: { globalAccountID: "ga-1" },
      now: "2026-03-05T00:00:00Z",
      begin: "2026-03-11T01:00:00Z",
    },
    {
      name: "a window that crosses midnight is seen after it",
      runtime: { region: "eu-1" },
      now: "2026-03-08T04:00:00Z",
      begin: "2026-03-08T01:00:00Z",
    },
    {
      name: "a window whose rest is too short is passed over",
      runtime: { region: "eu-1" },
      now: "2026-03-08T04:45:00Z",
      begin: "2026-03-15T01:00:00Z",
    },
  ];
  for (const { name, runtime, now, begin } of cases) {
    test(name, () => equal(formatRfc3339(findWindow(policy, runtime, at(now), ongoing).beginMs), begin));
  }

  test("an ongoing window is found only when asked for (U174)", () => {
    const now = at("2026-03-09T10:30:00Z");
    ok(isActive(findWindow(policy, { plan: "free" }, now, ongoing), now));
    equal(formatRfc3339(findWindow(policy, { plan: "free" }, now).beginMs), "2026-03-16T10:00:00Z");
  });

  test("both borders are outside (U172, U174)", () => {
    const window = findWindow(policy, { plan: "free" }, at("2026-03-09T09:00:00Z"));
    equal(isActive(window, window.beginMs), false);
    equal(isActive(window, window.endMs), false);
  });

  test("no window is an error that says where was looked (U172, U174)", () => {
    const empty = parsePolicy("{}");
    throws(() => findWindow(empty, {}, 0), /matches and defaults also failed to provide a window/);
    throws(
      () => findWindow(policy, { globalAccountID: "ga" }, at("2026-03-05T00:00:00Z"), [{ fallbackDefault: false }]),
      /matched policies did not/,
    );
    throws(() => findWindow(policy, {}, 0, [{ onging: true }]), /unknown option at 1/);
  });
});

describe("reading a policy", () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["", /unexpected end of JSON input/],
    ["[]", /the policy must be an object/],
    ['{"rules":{}}', /rules must be a list/],
    ['{"rules":[{"match":{"plan":"("}}]}', /error during unmarshal: error during unmarshal:/],
    ['{"default":{"begin":"25:00:00Z"}}', /Unable to parse value "25:00:00Z" as ISO8601 or timeonly-with-tz/],
    ['{"default":{"begin":null}}', /Unable to parse value "null"/],
  ];
  for (const [text, reason] of refused)
    test(`refuses ${text || "nothing"}`, () => throws(() => parsePolicy(text), reason));

  test("any text is read or refused in time, never anything else", () => {
    holds(
      property(json({ maxDepth: 4 }), (text) => {
        try {
          parsePolicy(text);
        } catch (error) {
          equal((error as { code?: string }).code, "MAINTENANCE_POLICY_INVALID");
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("whether an upgrade waits", () => {
  const template = { spec: { requiresDowntime: true, version: "2.0.0" } } as ModuleTemplate;
  const kyma = {
    metadata: { labels: { "kyma-project.io/broker-plan-name": "free" } },
    spec: { channel: "regular" },
  } as unknown as Kyma;
  const entry = { name: "m", state: "Ready" as const, version: "1.0.0" };

  test("a first installation does not, nor the same version, nor a Kyma that skips windows (U171)", () => {
    equal(needsWindow(template, kyma, entry), true);
    equal(needsWindow(template, kyma, undefined), false);
    equal(needsWindow(template, kyma, { ...entry, version: "2.0.0" }), false);
    equal(needsWindow(template, { ...kyma, spec: { channel: "regular", skipMaintenanceWindows: true } }, entry), false);
  });

  test("the window of the Kyma's plan decides (U026, U172)", () => {
    const settings = { policy, minWindowMs: 1_200_000 };
    equal(windowProblem(windowState(kyma, at("2026-03-09T10:10:00Z"), settings)), undefined);
    equal(windowProblem(windowState(kyma, at("2026-03-09T09:00:00Z"), settings))?.kind, "waiting");
    equal(
      windowProblem(windowState(kyma, 0, { minWindowMs: 0 }))?.message,
      "failed to determine if maintenance window is active: no maintenance window policy configured",
    );
  });
});
