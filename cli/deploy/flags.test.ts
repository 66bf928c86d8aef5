import { deepEqual, equal, match } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { attachCommand, deployCommand } from "./flags.ts";

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
    ["--cert-manager", ""],
    ["--cert-manager", "http://127.0.0.1:1/x.yaml"],
  ])("but not %s %s", async (flag, value) => {
    equal(await refusal(flag, value), "");
  });

  test("and those of which one would be left out in silence", async () => {
    match(await refusal("--diff", "--dry-run"), /'--diff' cannot be used with option '--dry-run \[kind\]'/);
    match(await refusal("--attach", "--diff"), /'--attach' cannot be used with option '--diff'/);
    match(await refusal("--attach", "--dry-run=server"), /'--attach' cannot be used with option '--dry-run/);
  });

  test.each([
    ["-m", "alpha"],
    ["--image", "a/b:1"],
    ["--value", "a.b=1"],
    ["--cert-manager", "1.2.3"],
    ["--no-wildcard-permissions"],
    ["--concurrency", "8"],
    ["--atomic"],
    ["--ca-file", "ca.crt"],
  ])("such as all that a watched deployment can't follow: %s", async (...flags) => {
    match(await refusal("--attach", ...flags), /^error: option '--attach' cannot be used with option '/);
  });

  test("a deployment is watched where it is", async () => {
    const where = ["-n", "a", "-k", "b", "--kubeconfig", "c", "--context", "d", "--timeout", "1m", "-q", "-o", "json"];
    equal(await refusal("--attach", ...where), "");
  });
});

test("the way back names where the deployment is", async () => {
  const texts: string[] = [];
  const command = deployCommand(async (flags) => void texts.push(attachCommand("kyma", flags)));
  await command.parseAsync(["-m", "alpha"], { from: "user" });
  await deployCommand(async (flags) => void texts.push(attachCommand("kyma", flags))).parseAsync(
    ["-n", "a", "-k", "b", "--kubeconfig", "c", "--context", "d"],
    { from: "user" },
  );
  deepEqual(texts, [
    "kyma deploy --attach",
    "kyma deploy --attach --namespace a --kyma-name b --kubeconfig c --context d",
  ]);
});
