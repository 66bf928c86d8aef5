import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { capabilitiesOf, closureOf, readLock } from "./dependencies.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs/security/dependencies.md"), "utf8");
const closure = closureOf(readLock(root));

const shownPlace = (place: string): string => place.replace("node_modules/", "").replaceAll("/node_modules/", " > ");

/** Rows of the two tables of packages. */
const reviewed = [...page.matchAll(/^\| `([^`]+)` \| ([\w.-]+) \| ([\w.-]+) \| ([a-z, ]*) \| (.+) \|$/gm)].map(
  ([, place = "", version = "", license = "", reach = "", reason = ""]) => ({
    place,
    version,
    license,
    reach: reach.trim(),
    reason,
  }),
);

const licenses = new Set(
  "MIT ISC BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 0BSD PSF-2.0 Unlicense".split(" "),
);

describe("the packages that come with the product", () => {
  test("are those that were reviewed, in the same version, with the same license and reach", () => {
    const found = closure.map(({ place, version, license }) => ({
      place: shownPlace(place),
      version,
      license,
      reach: capabilitiesOf(root, place).join(", "),
    }));
    const known = reviewed.map(({ place, version, license, reach }) => ({ place, version, license, reach }));
    const textOf = (row: (typeof found)[number]): string => Object.values(row).join(" | ");
    const [now, then] = [new Set(found.map(textOf)), new Set(known.map(textOf))];
    deepEqual({ "to be reviewed": [...now].filter((row) => !then.has(row)) }, { "to be reviewed": [] });
    deepEqual({ "gone, or changed": [...then].filter((row) => !now.has(row)) }, { "gone, or changed": [] });
  });

  test("are free, come with a checksum, and run nothing when they are installed", () => {
    for (const { name, license, integrity, installScript } of closure) {
      ok(licenses.has(license), `${name}: ${license}`);
      match(integrity, /^sha512-/, name);
      equal(installScript, false, name);
    }
  });

  test("are fixed to one version each where we ask for them", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    for (const [name, version] of Object.entries(dependencies)) match(version, /^\d+\.\d+\.\d+$/, name);
  });

  test("have a reason each, and their reach another one", () => {
    const direct = reviewed.filter(({ place }) =>
      closure.some((entry) => shownPlace(entry.place) === place && entry.neededBy.includes("ours")),
    );
    ok(direct.length >= 20, `${direct.length}`);
    for (const { place, reason } of reviewed) ok(reason.trim().length > 2, place);
    const [, accepted = ""] = page.split("## Why their reach is accepted");
    for (const { place, reach } of reviewed) {
      for (const kind of reach.split(", ").filter((text) => text !== "")) {
        const rows = accepted.split("\n").filter((line) => line.startsWith(`| ${kind} |`));
        ok(
          rows.some((line) => line.includes(`\`${place}\``)),
          `${place}: ${kind}`,
        );
      }
    }
  });
});
