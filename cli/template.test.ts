import { deepEqual, equal, match } from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { runCli } from "./run.ts";
import { type FakeIo, fakeIo } from "./testing.ts";

const files = {
  "Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
  "values.yaml": "a: 1\n",
  "crds/crd.yaml": "kind: CustomResourceDefinition\n",
  "templates/a.yaml":
    "kind: A\na: {{ .Values.a }}\nns: {{ .Release.Namespace }}\nupgrade: {{ .Release.IsUpgrade }}\n" +
    'kube: {{ .Capabilities.KubeVersion }}\nhas: {{ .Capabilities.APIVersions.Has "x/v1" }}\n',
  "templates/test.yaml": "kind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n",
};

describe("kyma template", () => {
  let folder = "";
  let io: FakeIo & { cwd: string };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "template-"));
    io = { ...fakeIo({ stdin: "a: 5\n" }), cwd: folder };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, "app", path)), { recursive: true });
      await writeFile(join(folder, "app", path), text);
    }
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = (...args: readonly string[]): Promise<number> => runCli(["template", ...args], io);

  test("takes values, namespace, versions and upgrades from flags", async () => {
    const versions = ["--kube-version=v1.30.1", "--api-versions=y/v1,x/v1", "--is-upgrade"];
    equal(await run("app", "-f", "-", "--set=b=1", "-n", "team", "--no-hooks", ...versions), 0);
    equal(
      io.out(),
      "---\n# Source: app/templates/a.yaml\nkind: A\na: 5\nns: team\nupgrade: true\nkube: v1.30.1\nhas: true\n",
    );
  });

  const shown: Readonly<Record<string, readonly string[]>> = {
    "": ["templates/a.yaml", "templates/test.yaml"],
    "--include-crds": ["crds/crd.yaml", "templates/a.yaml", "templates/test.yaml"],
    "--no-hooks": ["templates/a.yaml"],
    "--skip-tests": ["templates/a.yaml"],
    "--show-only=templates/test.yaml": ["templates/test.yaml"],
  };
  for (const [flag, sources] of Object.entries(shown)) {
    test(`shows ${sources.join(", ")} with ${flag === "" ? "no flag" : flag}`, async () => {
      equal(await run("app", ...(flag === "" ? [] : [flag])), 0);
      const found = Array.from(io.out().matchAll(/# Source: app\/(.+)/g), ([, source]) => source);
      deepEqual(found, sources);
    });
  }

  test("names a link that leads in a circle", async () => {
    await symlink("..", join(folder, "app", "templates", "up"));
    equal(await run("app"), 1);
    match(io.err(), /templates\/up is a link to a folder that holds it; remove the link/);
  });

  test("writes files below --output-dir and says so", async () => {
    equal(await run("rel", "app", "--output-dir=out", "--include-crds", "--release-name"), 0);
    const paths = ["crds/crd.yaml", "templates/a.yaml", "templates/test.yaml"].map((path) => `out/rel/app/${path}`);
    equal(io.out(), `${paths.map((path) => `wrote ${path}\n`).join("")}\n`);
    match(
      await readFile(join(folder, "out/rel/app/templates/a.yaml"), "utf8"),
      /^---\n# Source: app\/templates\/a.yaml\nkind: A/,
    );
  });

  test("makes the name of the release from a template", async () => {
    await writeFile(join(folder, "app/templates/a.yaml"), "name: {{ .Release.Name }}\n");
    equal(await run("app", '--name-template={{ "X" | lower }}-{{ add 1 2 }}', "--no-hooks"), 0);
    match(io.out(), /^name: x-3$/m);
  });

  test("ends with 4 where it was called in a wrong way, with 1 where a file or a chart is wrong", async () => {
    for (const args of [[], ["a", "b", "c"], ["a", "b", "--name-template=c"]]) equal(await run(...args), 4);
    for (const args of ["--set=a[", "--set-json=a=[", "--name-template={{"]) equal(await run("app", args), 4, args);
    match(io.err(), /^Error: failed parsing --set data: /m);
    await writeFile(join(folder, "broken.yaml"), "a: [");
    equal(await run("app", "-f", "broken.yaml", "--set=a["), 1);
    equal(await run("nowhere"), 1);
  });

  for (const flag of ["--dependency-update", "--validate", "--verify", "--post-renderer=x", "--repo=x"]) {
    test(`refuses ${flag} and says what to do instead`, async () => {
      equal(await run("app", flag), 4);
      match(io.err(), new RegExp(`${flag.split("=")[0]} is not supported: .+`));
      equal(io.out(), "");
    });
  }
});
