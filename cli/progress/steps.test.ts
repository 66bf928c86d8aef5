import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { FakeClock } from "../../testing/index.ts";
import { fakeIo } from "../testing.ts";
import type { ProgressFlags } from "./flags.ts";
import { type Say, stepsOn } from "./steps.ts";

const escape = "\u001b";

/** Runs one phase that takes three seconds. */
async function shown(flags: Partial<ProgressFlags>, tty: boolean, body: (say: Say) => void, env = {}) {
  const clock = new FakeClock();
  const io = { ...fakeIo({ isTTY: tty, env }), clock };
  const steps = stepsOn(io, { output: "text", ...flags });
  await steps.run("modules", async (say) => {
    body(say);
    await clock.advance(3_000);
  });
  return io.out();
}

const twoModules = (say: Say): void => {
  say("alpha: Processing", "alpha");
  say("bravo: Ready", "bravo");
  say("alpha: Ready", "alpha");
};

describe("progress", () => {
  test("without a terminal is one line per message and one for the end", async () => {
    equal(
      await shown({}, false, twoModules),
      "  modules: alpha: Processing\n  modules: bravo: Ready\n  modules: alpha: Ready\n- modules (3.0s)\n",
    );
  });

  test("on a terminal is a tree that is drawn over, with one line per module and the time", async () => {
    const out = await shown({}, true, twoModules, { NO_COLOR: "1" });
    const last = out.split(`${escape}[3A${escape}[J`).at(-1);
    equal(last, "✔ modules 3s\n    alpha: Ready\n    bravo: Ready\n");
    match(out, /^⠋ modules 0s\n/);
    ok(out.includes("⠙ modules"), "the spinner turns while nothing is said");
  });

  test("uses colours unless NO_COLOR is set", async () => {
    ok((await shown({}, true, twoModules)).includes(`${escape}[32m✔`));
    ok(!(await shown({}, true, twoModules, { NO_COLOR: "1" })).includes(`${escape}[32m`));
  });

  test("cuts lines at the width of the terminal", async () => {
    const out = await shown({}, true, (say) => say("x".repeat(200)), { NO_COLOR: "1" });
    ok(out.split("\n").every((line) => line.replace(/^.*\[J/, "").length <= 80));
  });

  test("as JSON is one event per transition", async () => {
    const events = (await shown({ output: "json" }, true, (say) => say("waiting", "alpha"))).trim().split("\n");
    deepEqual(
      events.map((line) => JSON.parse(line) as unknown),
      [
        { step: "modules", state: "started", elapsedSeconds: 0 },
        { step: "modules", state: "running", message: "waiting", topic: "alpha", elapsedSeconds: 0 },
        { step: "modules", state: "done", elapsedSeconds: 3 },
      ],
    );
  });

  test("details are for --verbose, and --quiet says nothing", async () => {
    const detailed = (say: Say): void => say.detail("ConfigMap a/b applied");
    equal(await shown({}, false, detailed), "- modules (3.0s)\n");
    match(await shown({ verbose: true }, true, detailed), /^ {2}modules: ConfigMap a\/b applied\n/);
    equal(await shown({ quiet: true }, true, twoModules), "");
  });

  test("a phase that fails is marked, and its error goes on", async () => {
    const io = { ...fakeIo(), clock: new FakeClock() };
    const failing = stepsOn(io, { output: "text" }).run("operator", async () => {
      throw new Error("no image");
    });
    await rejects(failing, /no image/);
    equal(io.out(), "X operator (0.0s)\n");
  });
});
