import { deepEqual, equal, match, throws } from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { planRelease, releasedChangelog } from "./release-plan.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { version: current } = JSON.parse(read("package.json")) as { version: string };
const release = { version: "99.1.0", date: "2031-02-03" };

describe("the plan of a release", () => {
  const edits = new Map(planRelease(root, release).map(({ path, text }) => [path, text]));
  const after = (path: string): string => edits.get(path) ?? read(path);

  test("sets one version in every package, and among them", () => {
    for (const path of globSync("{package,packages/*/package,testing/*/package}.json", { cwd: root })) {
      const { version, dependencies = {} } = JSON.parse(after(path)) as {
        version: string;
        dependencies?: Readonly<Record<string, string>>;
      };
      equal(version, release.version, path);
      const ours = Object.entries(dependencies).filter(([name]) =>
        /^(@kyma-operators\/|oras-js$|helm-ts-lite$)/.test(name),
      );
      for (const [name, wanted] of ours) equal(wanted, release.version, `${path}: ${name}`);
    }
  });

  test("sets it in the lockfile for our packages only", () => {
    const packagesIn = (text: string) =>
      (JSON.parse(text) as { packages: Record<string, { version?: string }> }).packages;
    const [then, now] = [packagesIn(read("package-lock.json")), packagesIn(after("package-lock.json"))];
    const changed = Object.keys(now).filter((place) => now[place]?.version !== then[place]?.version);
    deepEqual(
      changed.filter((place) => place !== "" && !/^(packages|testing)\//.test(place)),
      [],
    );
    equal(changed.length, globSync("{packages,testing}/*/package.json", { cwd: root }).length + 1);
    equal(Object.keys(now).length, Object.keys(then).length);
  });

  test("names the new image in chart, manifests and guides", () => {
    match(after("charts/kyma-operators/Chart.yaml"), /^version: 99\.1\.0\nappVersion: 99\.1\.0$/m);
    for (const path of ["config/manager/process/deployment.yaml", "docs/guides/air-gapped.md"]) {
      match(after(path), /kyma-operators:99\.1\.0/, path);
      equal(after(path).includes(`kyma-operators:${current}`), false, path);
    }
  });

  test("refuses a version that is none, or no step forward", () => {
    throws(
      () => planRelease(root, { ...release, version: "v1.0.0" }),
      /"v1\.0\.0" is no version: expected for example/,
    );
    throws(() => planRelease(root, { ...release, version: current }), /is no step forward from/);
  });
});

describe("the changelog", () => {
  const text = "# Changelog\n\n## Unreleased\n\n- a\n\n## 1.0.0 (2030-01-01)\n\n- b\n";

  test("gets a section for the release, with what was unreleased", () => {
    const expected = "# Changelog\n\n## Unreleased\n\n## 99.1.0 (2031-02-03)\n\n- a\n\n## 1.0.0 (2030-01-01)\n\n- b\n";
    equal(releasedChangelog(text, release), expected);
  });

  test("without entries there is nothing to release", () => {
    throws(() => releasedChangelog(releasedChangelog(text, release), release), /nothing stands under Unreleased/);
  });
});
