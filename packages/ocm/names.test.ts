import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { formatReference } from "oras-js";
import { isComponentName, parseMapping, repositoryFor, tagOf, versionOfTag } from "./names.ts";

const name = "example.org/module/demo";
const hex = "0d1da1ab3be2f24c102bfba547fcc8cea2014d08928f2f229414b9386b772c2b";

describe("tags", () => {
  for (const [version, tag] of [
    ["1.4.2", "1.4.2"],
    ["1.4.2+rc.1", "1.4.2.build-rc.1"],
    ["v2.0.0-alpha+ci.42", "v2.0.0-alpha.build-ci.42"],
  ] as const) {
    test(`${version} is ${tag}, and back`, () => {
      equal(tagOf(version), tag);
      equal(versionOfTag(tag), version);
    });
  }

  test("only the last mark of a tag is a plus", () =>
    equal(versionOfTag("1.0.0-a.build-b.build-c"), "1.0.0-a.build-b+c"));

  for (const version of ["latest", "", "1.2.3+a+b", "1.02.3", `1.0.0-${"x".repeat(300)}`]) {
    test(`${JSON.stringify(version.slice(0, 20))} has none`, () =>
      throws(() => tagOf(version), /OCM_VERSION_INVALID|expected a semantic version/));
  }
});

describe("repositoryFor", () => {
  const cases = [
    { name: "a host", where: { baseUrl: "reg.local:5001" }, want: `reg.local:5001/component-descriptors/${name}` },
    {
      name: "a host and sub-path",
      where: { baseUrl: "reg.local:5001", subPath: "modules" },
      want: `reg.local:5001/modules/component-descriptors/${name}`,
    },
    {
      name: "a path inside the base",
      where: { baseUrl: "https://reg.local/a/b/" },
      want: `reg.local/a/b/component-descriptors/${name}`,
    },
    {
      name: "both",
      where: { baseUrl: "oci://reg.local/a", subPath: "/b/" },
      want: `reg.local/a/b/component-descriptors/${name}`,
    },
    { name: "a host that is one word", where: { baseUrl: "registry" }, want: `registry/component-descriptors/${name}` },
    {
      name: "the digest mapping",
      where: { baseUrl: "reg.local:5001", subPath: "modules", mapping: "sha256-digest" as const },
      want: `reg.local:5001/modules/${hex}`,
    },
    {
      name: "the digest mapping without sub-path",
      where: { baseUrl: "reg.local:5001", mapping: "sha256-digest" as const },
      want: `reg.local:5001/${hex}`,
    },
  ];
  for (const { name: what, where, want } of cases) {
    test(`joins ${what}`, () => equal(formatReference(repositoryFor(where, name)), want));
  }

  test("knows plain HTTP by its scheme alone", () => {
    deepEqual(
      ["http://r.io/a", "https://r.io/a", "r.io/a"].map((baseUrl) => repositoryFor({ baseUrl }, name).plainHttp),
      [true, false, false],
    );
  });

  for (const baseUrl of ["", "/a", "http://", "reg local"]) {
    test(`refuses the base ${JSON.stringify(baseUrl)}`, () => throws(() => repositoryFor({ baseUrl }, name)));
  }

  for (const bad of ["", "demo", "Example.org/x", "example.org", "../../x", `example.org/${"x".repeat(300)}`]) {
    test(`refuses the component ${JSON.stringify(bad.slice(0, 20))}`, () => {
      equal(isComponentName(bad), false);
      throws(() => repositoryFor({ baseUrl: "reg.io" }, bad), /component name/);
    });
  }
});

test("an unknown mapping is an error, an empty one the default", () => {
  equal(parseMapping(""), "urlPath");
  equal(parseMapping(undefined), "urlPath");
  equal(parseMapping("sha256-digest"), "sha256-digest");
  throws(() => parseMapping("md5"), /error while parsing componentNameMapping md5: componentNameMapping not supported/);
});
