import { deepEqual, equal, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Measurement } from "./measurement.ts";
import { curvesOf } from "./plot.ts";

const figure = (curve: string, size: number, value: number): Measurement => ({
  id: "P5",
  what: curve,
  value,
  unit: "CPU s",
  target: "none",
  point: { curve, size },
});

describe("curvesOf", () => {
  test("draws one picture per curve and unit, the same bytes each time", () => {
    const figures = [figure("cold start", 100, 1), figure("rollout", 10, 2), figure("cold start", 1_000, 11)];
    const curves = curvesOf([...figures, figure("rollout", 100, 20)]);
    deepEqual(
      curves.map(({ title, file }) => [title, file]),
      [
        ["cold start, CPU s", "bench-cold-start-cpu-s.svg"],
        ["rollout, CPU s", "bench-rollout-cpu-s.svg"],
      ],
    );
    deepEqual(curvesOf([...figures, figure("rollout", 100, 20)]), curves);
  });

  test("puts what grows in step with the size onto the dashed line", () => {
    const [curve] = curvesOf([figure("c", 10, 1), figure("c", 100, 10)]);
    const [, line = ""] = /<polyline points="([^"]+)"/.exec(curve?.svg ?? "") ?? [];
    const [, from = "", to = ""] = /<path d="M([^L"]+)L([^"]+)" stroke="#888"/.exec(curve?.svg ?? "") ?? [];
    equal(line, [from, to].map((point) => point.replace(" ", ",")).join(" "));
  });

  test("draws nothing of a single figure, nor of nothing measured", () => {
    deepEqual(curvesOf([figure("c", 10, 1)]), []);
    deepEqual(curvesOf([figure("c", 10, 0), figure("c", 100, 0)]), []);
  });

  test("shows the size and the unit", () => {
    const [curve] = curvesOf([figure("a < b", 10, 1), figure("a < b", 100, 10)]);
    match(curve?.svg ?? "", /<title>a &lt; b, CPU s<\/title>/);
    match(curve?.svg ?? "", />Kymas<\/text>/);
  });
});
