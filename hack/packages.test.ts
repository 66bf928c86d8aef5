import { deepEqual, equal } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { publint } from "publint";
import { closureOf, readLock } from "./dependencies.ts";
import { type StagedPackage, stagePackages } from "./package-files.ts";

const root = join(import.meta.dirname, "..");
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
let folder = "";
let packages: readonly StagedPackage[] = [];
/** Paths in the archive of each package. */
const packed = new Map<string, readonly string[]>();
const archives = new Map<string, string>();

/** What `npm pack --json` says of one archive. */
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-npm-"));
  packages = await stagePackages(root, join(folder, "staged"));
  mkdirSync(join(folder, "archives"));
  const args = ["pack", "--json", "--pack-destination", "archives", ...packages.map((each) => each.folder)];
  const answer = JSON.parse(run(npm, args, folder)) as readonly Packed[];
  for (const [index, { name }] of packages.entries()) {
    packed.set(name, answer[index]?.files.map(({ path }) => path) ?? []);
    archives.set(name, join(folder, "archives", answer[index]?.filename ?? ""));
  }
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the archives of the libraries", () => {
  test("hold README, license, JavaScript and types of the library, and nothing else", () => {
    for (const [name, files] of packed) {
      const top = files.filter((path) => !path.startsWith("dist/"));
      deepEqual(top.toSorted(), ["LICENSE", "README.md", "package.json"], name);
      const odd = files.filter((path) => path.startsWith("dist/") && !/\.(js|d\.ts)$/.test(path));
      deepEqual(odd, [], name);
      deepEqual(
        files.filter((path) => /test|node_modules/.test(path)),
        [],
        name,
      );
    }
  });

  test("have nothing that publint would change", async () => {
    for (const { name, folder: pkgDir } of packages) {
      const { messages } = await publint({ pkgDir, strict: true, pack: false });
      equal(JSON.stringify(messages), "[]", name);
    }
  });

  test("name every package that they import, in the version of the repository", () => {
    const wanted = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    for (const { folder: staged, name, version } of packages) {
      equal(version, wanted.version, name);
      const { dependencies = {} } = JSON.parse(readFileSync(join(staged, "package.json"), "utf8")) as {
        dependencies?: Readonly<Record<string, string>>;
      };
      const ours = packages.filter((other) => dependencies[other.name] !== undefined);
      for (const other of ours) equal(dependencies[other.name], version, `${name} needs ${other.name}`);
    }
  });

  test("install without a network into an empty folder, can be imported there, and have types", async () => {
    const consumer = join(folder, "consumer");
    mkdirSync(consumer);
    const others = closureOf(readLock(root)).map(({ place, name }) => [name, `file:${join(root, place)}`] as const);
    const dependencies = Object.fromEntries([...archives].map(([name, archive]) => [name, `file:${archive}`]));
    const manifest = { name: "consumer", private: true, type: "module", dependencies, overrides: overridesOf(others) };
    await writeFile(join(consumer, "package.json"), JSON.stringify(manifest));
    run(npm, ["install", "--offline", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"], consumer);

    const names = [...archives.keys()];
    const count = (name: string) =>
      `console.log(${JSON.stringify(name)}, Object.keys(await import(${JSON.stringify(name)})).length > 0);`;
    await writeFile(join(consumer, "all.js"), names.map(count).join("\n"));
    equal(run(process.execPath, ["all.js"], consumer), names.map((name) => `${name} true\n`).join(""));

    const imports = names.map((name, index) => `import * as p${index} from ${JSON.stringify(name)};`);
    await writeFile(
      join(consumer, "all.ts"),
      [...imports, `export const all = [${names.map((_, i) => `p${i}`).join(", ")}];`].join("\n"),
    );
    const flags = "--noEmit --strict --module nodenext --target es2024 --lib es2024,esnext --types node".split(" ");
    const types = ["--typeRoots", join(root, "node_modules/@types"), "all.ts"];
    equal(
      run(process.execPath, [join(root, "node_modules/ts7/bin/tsc"), ...flags, "--skipLibCheck", ...types], consumer),
      "",
    );
  }, 120_000);
});

describe("the types of the libraries that need no platform", () => {
  const plain = ["errors", "gardener", "kustomize", "schema", "ssa", "strategic-merge", "yaml"];
  for (const name of plain.map((each) => `@kyma-operators/${each}`)) {
    test(`are complete without those of Node for ${name}`, async () => {
      const file = join(folder, "consumer", "plain.ts");
      await writeFile(file, `export * from ${JSON.stringify(name)};`);
      const flags = "--noEmit --strict --module nodenext --target es2024 --lib es2024,esnext --types".split(" ");
      equal(run(process.execPath, [join(root, "node_modules/ts7/bin/tsc"), ...flags, "", file], folder), "");
    });
  }
});

/** The first of each name: two versions of one package are not told apart here. */
function overridesOf(places: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(places.filter(([name], index) => places.findIndex(([other]) => other === name) === index));
}
