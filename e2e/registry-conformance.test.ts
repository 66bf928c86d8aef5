import { deepEqual, equal } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { startRegistry } from "../testing/registry.ts";
import { type ForeignRegistry, startDockerRegistry } from "./docker-registry.ts";
import { points } from "./registry-points.ts";

const page = join(import.meta.dirname, "../docs/reference/registry-conformance.md");

/** What Debian's registry (distribution 2.8.2) does not do; it is older than these parts of the specification. */
const olderThan: ReadonlySet<string> = new Set([
  "a chunk out of order answers 416",
  "tags are listed in order",
  "tags are listed in pages with n and last, linked to each other",
  "a manifest with a subject answers with OCI-Subject",
  "n=0 lists no tag",
  "referrers of a manifest are listed, and filtered by artifact type",
  "referrers of an unknown digest are an empty index",
  "a tag is deleted, and its manifest stays",
  "a deleted referrer is no longer listed",
]);

let folder = "";
let registries: Readonly<Record<"memory" | "directory" | "debian", ForeignRegistry>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "registry-conformance-"));
  registries = {
    memory: await startRegistry(),
    directory: await startRegistry({ storage: { directory: folder } }),
    debian: await startDockerRegistry(),
  };
}, 30_000);
afterAll(async () => {
  for (const registry of Object.values(registries)) await registry.stop();
  await rm(folder, { recursive: true });
});

const at = (kind: keyof typeof registries, index: number): { url: string; repository: string } => ({
  url: registries[kind].url,
  repository: `conformance/p${index}`,
});

for (const kind of ["memory", "directory"] as const) {
  describe(`our registry with its storage in ${kind}`, () => {
    for (const [i, { group, name, run }] of points.entries()) test(`${group}: ${name}`, () => run(at(kind, i)));
  });
}

describe("the points are true of another registry as well", () => {
  for (const [i, { group, name, run }] of points.entries()) {
    test(`${group}: ${name}${olderThan.has(name) ? " (not in its version)" : ""}`, async () => {
      const passed = await run(at("debian", i)).then(
        () => true,
        (error: unknown) => {
          if (!olderThan.has(name)) throw error;
          return false;
        },
      );
      equal(passed, !olderThan.has(name), "it passes by now: take it off the list");
    });
  }
});

test("the reference page lists exactly these points", async () => {
  const rows = points.map(({ group, name }) => `| ${group} | ${name} | yes | ${olderThan.has(name) ? "no" : "yes"} |`);
  const text = `# Registry conformance

The points of the [distribution specification](https://github.com/opencontainers/distribution-spec) that \`kyma local\`'s
registry is held against, in memory and in a directory, by \`e2e/registry-conformance.test.ts\`. The same requests go to
Debian's \`docker-registry\` (distribution 2.8.2), so that a wrong expectation of ours would be noticed. Our client works with both: where a
registry has no referrers API it keeps the list under a tag.

| Part | Behaviour | Ours | Debian's |
|---|---|---|---|
${rows.join("\n")}
`;
  if (process.env["UPDATE_DOCS"] === "1") await writeFile(page, text);
  deepEqual(await readFile(page, "utf8"), text, "run the test with UPDATE_DOCS=1 and commit the page");
});
