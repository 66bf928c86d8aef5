import { equal, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { deployCommand } from "./flags.ts";

/** Why the flags are refused; empty when they are not. */
async function refusal(...args: readonly string[]): Promise<string> {
  const command = deployCommand(async () => undefined)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return command.parseAsync(args, { from: "user" }).then(
    () => "",
    (error: unknown) => (error as Error).message,
  );
}

describe("flags of kyma deploy that no cluster could follow are refused before one is asked", () => {
  test.each([
    ["--image", "x y"],
    ["--image", "Registry/Name"],
    ["--image", "name:"],
    ["--image", "name@sha256:12"],
    ["--version", "1 2"],
    ["--version", "a/b"],
    ["--source", "feature/x y"],
    ["--domain", "a b"],
    ["--domain", "*.example.org"],
    ["--registry-secret", "A"],
    ["--image-pull-secret", "../x"],
    ["--cert-manager", "latest"],
  ])("%s %s", async (flag, value) => {
    match(await refusal(flag, value), new RegExp(`^error: option '(-d, )?${flag} .* is invalid\\. expected `));
  });

  test.each([
    ["--image", "host:5000/path/name:1.2.3"],
    ["--image", `name@sha256:${"a".repeat(64)}`],
    ["--version", "v1.2.3-rc.1"],
    ["--source", "feature/x"],
    ["--domain", "a.example.org"],
    ["--registry-secret", "regcred"],
    ["--cert-manager", "v1.18.2"],
    ["--cert-manager", "http://127.0.0.1:1/x.yaml"],
  ])("but not %s %s", async (flag, value) => {
    equal(await refusal(flag, value), "");
  });

  test("and those of which one would be left out in silence", async () => {
    match(await refusal("--diff", "--dry-run"), /'--diff' cannot be used with option '--dry-run \[kind\]'/);
    match(await refusal("--attach", "--diff"), /'--attach' cannot be used with option '--diff'/);
    match(await refusal("--attach", "--dry-run=server"), /'--attach' cannot be used with option '--dry-run/);
  });
});
