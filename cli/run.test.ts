import { deepEqual, equal, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { nearest } from "./help.ts";
import { version } from "./product.ts";
import { runCli } from "./run.ts";
import { fakeIo } from "./testing.ts";

describe("kyma", () => {
  test("lists its commands with --help", async () => {
    const io = fakeIo();
    equal(await runCli(["--help"], io), 0);
    match(io.out(), /^Usage: kyma COMMAND/);
    match(io.out(), /version +print the version/);
  });

  test("prints its version, also as data", async () => {
    const io = fakeIo();
    equal(await runCli(["version", "-o", "json"], io), 0);
    deepEqual(JSON.parse(io.out()), { version });
  });

  test("names the nearest command for a mistyped one and refuses with code 4", async () => {
    const io = fakeIo();
    equal(await runCli(["versoin"], io), 4);
    equal(io.err(), 'Error: unknown command "versoin" for "kyma": did you mean "version"?\n');
  });

  test("refuses an unknown flag with code 4 and one line", async () => {
    const io = fakeIo();
    equal(await runCli(["version", "--wat"], io), 4);
    equal(io.err(), "Error: unknown option '--wat'; --help lists what is possible\n");
  });
});

describe("kyma explain-error", () => {
  test("says what a code means and whether trying again helps", async () => {
    const io = fakeIo();
    equal(await runCli(["explain-error", "kube_conflict"], io), 0);
    match(io.out(), /^KUBE_CONFLICT\n\nSomebody else wrote first.*\n\nIt may pass by itself/);
  });

  test("names the nearest code", async () => {
    const io = fakeIo();
    equal(await runCli(["explain-error", "KUBE_CONFLCT"], io), 1);
    equal(io.err(), "Error: unknown error code KUBE_CONFLCT: did you mean KUBE_CONFLICT?\n");
  });
});

test("nearest gives up on words that are not close", () => {
  equal(nearest("frobnicate", ["version", "module"]), undefined);
});
