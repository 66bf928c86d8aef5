/** What a release changes in the files of the repository, as data; `hack/release.ts` shows it or carries it out. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compare, valid } from "semver";

export interface Release {
  /** Without the leading `v`. */
  readonly version: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

export interface Edit {
  readonly path: string;
  readonly text: string;
}

type Rewrite = (text: string, from: string, release: Release) => string;

/** Every place that holds the version; files that are generated from them are not here. */
const places: readonly (readonly [glob: string, rewrite: Rewrite])[] = [
  ["{package,packages/*/package,testing/*/package}.json", packageVersions],
  ["package-lock.json", lockVersions],
  [
    "charts/kyma-operators/Chart.yaml",
    (text, from, { version }) => text.replaceAll(`ersion: ${from}`, `ersion: ${version}`),
  ],
  ["config/manager/process/deployment.yaml", imageTags],
  ["docs/guides/*.md", shownVersions],
  ["CHANGELOG.md", (text, _from, release) => releasedChangelog(text, release)],
];

/**
 * The edits of a release, from what `read` says of the files below `root`. Throws when the version is no step forward,
 * or when there is nothing to release.
 */
export function planRelease(
  root: string,
  release: Release,
  read = (path: string): string => readFileSync(join(root, path), "utf8"),
): readonly Edit[] {
  const { version: from } = JSON.parse(read("package.json")) as { version: string };
  if (valid(release.version) !== release.version) {
    throw new Error(`"${release.version}" is no version: expected for example 1.4.0 or 1.4.0-rc.1, without a v`);
  }
  if (compare(release.version, from) <= 0) {
    throw new Error(`version ${release.version} is no step forward from ${from}: give a higher one`);
  }
  return places.flatMap(([glob, rewrite]) =>
    globSync(glob, { cwd: root })
      .toSorted()
      .map((path) => ({ path, before: read(path) }))
      .map(({ path, before }) => ({ path, before, text: rewrite(before, from, release) }))
      .filter(({ before, text }) => text !== before)
      .map(({ path, text }) => ({ path, text })),
  );
}

/** Own version, and those of our packages among the dependencies; all move together. */
function packageVersions(text: string, from: string, { version }: Release): string {
  return text.replace(
    /("(?:version|@kyma-operators\/[\w-]+|oras-js|helm-ts-lite)": ")([^"]+)"/g,
    (whole, key, found) => (found === from ? `${key}${version}"` : whole),
  );
}

/** Entries of the workspaces only: packages of others may have the same version by chance. */
function lockVersions(text: string, from: string, release: Release): string {
  const lock = JSON.parse(text) as { version: string; packages: Record<string, object> };
  const ours = Object.entries(lock.packages).map(([place, entry]) => {
    const isOurs = place === "" || /^(packages|testing)\//.test(place);
    return [place, isOurs ? JSON.parse(packageVersions(JSON.stringify(entry, undefined, 1), from, release)) : entry];
  });
  const next = { ...lock, version: release.version, packages: Object.fromEntries(ours) };
  return `${JSON.stringify(next, undefined, 2)}\n`;
}

function imageTags(text: string, from: string, { version }: Release): string {
  return text.replaceAll(`kyma-operators:${from}`, `kyma-operators:${version}`);
}

/** In guides: images, tags and what `kyma status` prints. */
function shownVersions(text: string, from: string, release: Release): string {
  const lines = imageTags(text, from, release).split("\n");
  const changed = lines.map((line) =>
    /kyma-operator\b|newTag:/.test(line) ? line.replace(from, release.version) : line,
  );
  return changed.join("\n");
}

/** Makes "Unreleased" the section of the release, under a new empty one. */
export function releasedChangelog(text: string, { version, date }: Release): string {
  const [head, rest] = text.split("## Unreleased\n");
  if (head === undefined || rest === undefined) throw new Error('CHANGELOG.md: expected one section "## Unreleased"');
  const [entries = ""] = rest.split(/^## /m);
  if (!/^- /m.test(entries))
    throw new Error("CHANGELOG.md: nothing stands under Unreleased, so there is nothing to release");
  return `${head}## Unreleased\n\n## ${version} (${date})\n${rest}`;
}
