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
  // Right after a release the real one is empty.
  const readable = (path: string): string => (path === "CHANGELOG.md" ? "## Unreleased\n\n- a\n" : read(path));
  const edits = new Map(planRelease(root, release, readable).map(({ path, text }) => [path, text]));
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

describe("the file that builds the image for all platforms", () => {
  const bake = read("docker-bake.hcl");

  test("gives each argument of the Dockerfile, by default what stands there", () => {
    const args = [...read("Dockerfile").matchAll(/^ARG (\w+)=(\S+)$/gm)];
    equal(args.length, 2);
    for (const [, name = "", value = ""] of args) {
      equal(bake.includes(`variable "${name}" { default = "${value}" }`), true, name);
      equal(bake.includes(`    ${name} = ${name}\n`), true, name);
    }
  });

  test("releases for the platforms that the project brings a Node.js for", () => {
    const { optionalDependencies = {} } = JSON.parse(read("package.json")) as {
      optionalDependencies?: Readonly<Record<string, string>>;
    };
    const names: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
    const expected = Object.keys(optionalDependencies).map(
      (name) => `"linux/${names[name.replace("node-linux-", "")]}"`,
    );
    const [, platforms = ""] = /platforms = \[(.*)\]/.exec(bake) ?? [];
    deepEqual(platforms.split(", ").toSorted(), expected.toSorted());
  });
});
