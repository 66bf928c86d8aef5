import { deepEqual, rejects, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { parseConfigFile, readConfigFile } from "./config-file.ts";
import { flagTable, ineffective, parseFlags, splitArguments } from "./flags.ts";
import { operatorFlags } from "./operator.ts";
import { validateFlags } from "./validate.ts";

const table = flagTable({
  name: { type: "string", default: "a", help: "" },
  fast: { type: "bool", default: "false", help: "" },
  wait: { type: "duration", default: "5m", help: "" },
  parts: { type: "list", default: "", help: "" },
  old: { type: "bool", default: "false", help: "", noEffect: "gone" },
});
const parse = (...args: string[]) => parseFlags(table, splitArguments(args, table));

describe("flags in Go's grammar", () => {
  const cases = [
    { name: "defaults", args: [], want: { name: "a", fast: false, wait: 300_000, parts: [], old: false } },
    { name: "equals sign", args: ["--name=b"], want: { ...parse(), name: "b" } },
    { name: "next word", args: ["--name", "b"], want: { ...parse(), name: "b" } },
    { name: "one dash", args: ["-fast"], want: { ...parse(), fast: true } },
    { name: "explicit false", args: ["--fast=f"], want: { ...parse(), fast: false } },
    { name: "the last one wins", args: ["--name=b", "--name=c"], want: { ...parse(), name: "c" } },
    { name: "list", args: ["--parts=x,y"], want: { ...parse(), parts: ["x", "y"] } },
  ];
  for (const { name, args, want } of cases) test(name, () => deepEqual(parse(...args), want));

  test("refuses what it does not know, by name", () => {
    throws(() => parse("--nme=b"), /unknown flag --nme/);
    throws(() => parse("--name"), /--name needs a value/);
    throws(() => parse("--wait=5"), /--wait: expected a duration such as 90s, 5m or 1h30m, found "5"/);
    throws(() => parse("word"), /unexpected argument "word"/);
  });

  test("names flags without effect (fault 22)", () => {
    deepEqual(ineffective(table, splitArguments(["--old"], table)), [{ name: "old", reason: "gone" }]);
  });
});

describe("a configuration file", () => {
  test("holds the same names, and the command line wins", () => {
    const file = parseConfigFile("f.yaml", "name: c\nfast: true\nparts: [x, z]\n", table);
    deepEqual(parseFlags(table, new Map([...file, ...splitArguments(["--name=d"], table)])), {
      ...parse(),
      name: "d",
      fast: true,
      parts: ["x", "z"],
    });
  });

  test("is refused with its line", async () => {
    const cases: readonly [string, RegExp][] = [
      ["# a\n\nname: c\nnme: c", /^f.yaml, line 4: nme: unknown flag: run with --help for the list$/],
      ["name:\n  a: b", /^f.yaml, line 1: name: expected a text, a number/],
      ["parts: [x]\nfast: [1, {}]", /^f.yaml, line 2: fast: expected a text, a number/],
      ["name: c\nfast: maybe", /^f.yaml, line 2: fast: expected true or false, found "maybe"$/],
      ["name: c\n  fast: [1", /^f.yaml, line 2, column 7: /],
      ["- name", /^f.yaml: expected a mapping/],
    ];
    for (const [text, message] of cases) throws(() => parseConfigFile("f.yaml", text, table), { message });
    const message = /^\/none\/f.yaml: can't be read: ENOENT$/;
    await rejects(readConfigFile("/none/f.yaml", table), { code: "FLAG_CONFIG_FILE", message });
  });
});

describe("operator flags", () => {
  const run = (...args: string[]) => validateFlags(parseFlags(operatorFlags, splitArguments(args, operatorFlags)));
  const registry = "--oci-registry-host=registry.example.test";

  test("the defaults are valid once a registry is named", () => run(registry));

  const cases: readonly [string[], RegExp][] = [
    [[], /--oci-registry-host and --oci-registry-cred-secret cannot be both empty/],
    [[registry, "--oci-registry-cred-secret=x"], /only one of --oci-registry-host or --oci-registry-cred-secret/],
    [[registry, "--cert-management=other"], /unsupported certificate management system: 'other'/],
    [[registry, "--leader-election-renew-deadline=180s"], /must be less than leader-election-lease-duration/],
    [[registry, "--self-signed-cert-key-size=2048"], /invalid self-signed-cert-key-size: must be 4096/],
    [[registry, "--manifest-requeue-jitter-probability=0.06"], /jitter probability: must be between 0 and 0.05/],
    [[registry, "--manifest-requeue-jitter-percentage=1.1"], /jitter percentage: must be between 0 and 1/],
    [[registry, "--restricted-default-modules=ab"], /invalid restricted-default-modules/],
    [[registry, "--metrics-cleanup-interval=0"], /--metrics-cleanup-interval: expected at least 1 minute, found 0/],
    [[registry, "--controllers=kyma,typo"], /--controllers: unknown typo/],
  ];
  for (const [args, text] of cases)
    test(`refuses ${args.slice(-1).join(" ") || "no registry"}`, () => throws(() => run(...args), text));

  test("a process without the Kyma loops needs no registry", () => run("--controllers=runtime,gardener-cluster"));
});
