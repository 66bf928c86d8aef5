import { deepEqual, equal, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { ExitCode, exitCodes } from "./command.ts";
import { version } from "./product.ts";
import { reportError, runCli } from "./run.ts";
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

  test("shows the help of a command in either way, down to sub-commands", async () => {
    for (const words of [
      ["help", "version"],
      ["version", "--help"],
      ["help", "module", "list"],
    ]) {
      const io = fakeIo();
      equal(await runCli(words, io), 0);
      match(io.out(), /^Usage: kyma (version|module list) \[options\]/);
    }
  });

  test("names the nearest command for a mistyped one and refuses with code 4", async () => {
    const io = fakeIo();
    equal(await runCli(["versoin"], io), 4);
    equal(io.err(), 'Error: unknown command "versoin" for "kyma": did you mean "version"?\n');
  });

  test("refuses an unknown flag with code 4 and one line", async () => {
    const io = fakeIo();
    equal(await runCli(["version", "--wat"], io), 4);
    equal(io.err(), "Error: unknown option '--wat'; see \"kyma version --help\"\n");
  });

  test("names the nearest flag in the same line", async () => {
    const io = fakeIo();
    equal(await runCli(["version", "--outptu", "json"], io), 4);
    equal(io.err(), "Error: unknown option '--outptu': did you mean --output?\n");
  });

  test("says where a flag belongs that stands before the command", async () => {
    const io = fakeIo();
    equal(await runCli(["--kubeconfig", "k", "status"], io), 4);
    match(io.err(), /^Error: flags stand behind the command: "kyma COMMAND --kubeconfig"; run "kyma --help"/);
  });
});

test("#57 an exit code is found in the error itself, in its cause, and in one of several", async () => {
  const warning = new ExitCode(exitCodes.warning, "Kyma is Warning");
  const several = new AggregateError([new Error("a"), warning], "two problems");
  for (const [error, code] of [
    [warning, 2],
    [new Error("waiting failed", { cause: warning }), 2],
    [several, 2],
    [new Error("anything"), 1],
  ] as const) {
    const io = fakeIo();
    equal(reportError(error, io), code);
    match(io.err(), /^Error: /);
  }
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
    match(
      io.err(),
      /^Error: unknown error code KUBE_CONFLCT; did you mean one of these\?\n {3}KUBE_CONFLICT {5}Somebody else/,
    );
  });

  test("offers the codes that hold a word, and the whole list where nothing is near", async () => {
    const word = fakeIo();
    equal(await runCli(["explain-error", "digest_"], word), 1);
    match(word.err(), /\n {3}OCI_DIGEST_INVALID {4}Digests.*\n {3}OCI_DIGEST_MISMATCH {3}The registry/);
    const lost = fakeIo();
    equal(await runCli(["explain-error", "FOO"], lost), 1);
    equal(lost.err(), 'Error: unknown error code FOO: "kyma explain-error" alone lists all codes\n');
  });

  test("lists all codes without one, also as data", async () => {
    const io = fakeIo();
    equal(await runCli(["explain-error"], io), 0);
    match(io.out(), /^CODE +MEANING\n(?:.*\n)*KUBE_CONFLICT +Somebody else/);
    const data = fakeIo();
    equal(await runCli(["explain-error", "-o", "json"], data), 0);
    deepEqual(Object.keys((JSON.parse(data.out()) as object[])[0] ?? {}), ["code", "retry", "meaning"]);
  });
});
