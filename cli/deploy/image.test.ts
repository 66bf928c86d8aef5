import { equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { imageReference, tagOf } from "./image.ts";
import { imageVersion } from "./preflight.ts";

const digest = `sha256:${"a".repeat(64)}`;

describe("the tag of an image reference", () => {
  const cases: readonly (readonly [reference: string, tag: string | undefined])[] = [
    ["name", undefined],
    ["name:1.2.3", "1.2.3"],
    ["host:5000/name", undefined],
    ["host:5000/name:1.2.3", "1.2.3"],
    [`name@${digest}`, undefined],
    [`host:5000/name:1.2.3@${digest}`, "1.2.3"],
    ["", undefined],
  ];
  test.each(cases)("%s", (reference, tag) => equal(tagOf(reference), tag));
});

describe("a reference of an image", () => {
  const good = ["name", "name:1", "localhost/a/b:1", "[::1]:5000/name:1", `host/name:1@sha512:${"0".repeat(128)}`];
  test.each(good)("is %s", (text) => equal(imageReference(text), text));

  const bad = ["", "host:99999/name", "a..b/name", "host/a..b", "oci://host/name:1", `name@md5:${"0".repeat(32)}`];
  test.each(bad)("is not %s", (text) => throws(() => imageReference(text), /expected an image/));
});

test("the version of a Deployment is known where its image has a digest too", () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "kyma-operator" },
    spec: { template: { spec: { containers: [{ image: `host:5000/kyma-operators:1.2.3@${digest}` }] } } },
  };
  equal(imageVersion(deployment), "1.2.3");
});
