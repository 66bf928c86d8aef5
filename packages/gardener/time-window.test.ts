import { equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { parseMaintenanceTime, windowLength } from "./time-window.ts";

describe("a maintenance window", () => {
  test.each([
    ["000000+0000", 0],
    ["010203+0000", 3723],
    ["010000+0200", -3600],
    ["233000-0100", 88_200],
    ["", undefined],
    ["22:00", undefined],
    ["240000+0000", undefined],
    ["006000+0000", undefined],
    ["000060+0000", undefined],
    ["000000Z", undefined],
    ["000000+2400", undefined],
    ["000000+0000 ", undefined],
  ])("has a time of the day: %s", (text, seconds) => equal(parseMaintenanceTime(text), seconds));

  test.each([
    ["010000+0000", "020000+0000", 3600],
    ["233000+0000", "003000+0000", 3600],
    ["010000+0200", "000000+0000", 3600],
    ["010000+0000", "010000+0000", 0],
    ["010000+0000", "x", undefined],
  ])("is as long as from %s to %s", (begin, end, seconds) => equal(windowLength({ begin, end }), seconds));
});
