import { equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { digestOfDescriptor, normalisations, normalise, parseNormalisation } from "./normalise.ts";
import { parseDescriptor } from "./read.ts";
import { example, exampleDocument, exampleWith } from "./testing.ts";
import { formatDescriptor } from "./write.ts";

const [raw, image] = exampleDocument.component.resources;
const twin = (version: string): object => ({ ...raw, name: "twin", relation: "external", version, digest: undefined });

describe("the worked example", () => {
  test("has the digests on record", () => {
    equal(digestOfDescriptor(exampleWith(), "jsonNormalisation/v1"), example.digests.v1);
    equal(digestOfDescriptor(exampleWith(), "jsonNormalisation/v2"), example.digests.v2);
    equal(digestOfDescriptor(exampleWith(), "jsonNormalisation/v3"), example.digests.v2);
    equal(normalise(exampleWith(), "jsonNormalisation/v1").length, 858);
    equal(normalise(exampleWith(), "jsonNormalisation/v2").length, 799);
  });
});

describe("a normalised text", () => {
  for (const normalisation of normalisations) {
    test(`of ${normalisation} does not depend on access, contexts, source references and signatures`, () => {
      const moved = exampleWith({
        repositoryContexts: [],
        resources: [
          { ...raw, access: { type: "ociBlob", ref: "other.io/x" }, srcRefs: [{ identitySelector: { name: "s" } }] },
          { ...image, access: { type: "ociArtifact", imageReference: "mirror.io/demo:1" } },
        ],
      });
      equal(normalise(moved, normalisation), normalise(exampleWith(), normalisation));
    });

    test(`of ${normalisation} has no digest for a resource without content`, () => {
      const [text] = [exampleWith({ resources: [{ ...raw, access: { type: "none" } }] })].map((one) =>
        normalise(one, normalisation),
      );
      ok(text?.includes("raw-manifest") && !text.includes("genericBlobDigest"));
    });
  }

  test("of v2 and v3 is the same whatever the schema", () => {
    const v3 = parseDescriptor(formatDescriptor({ ...exampleWith(), schemaVersion: "v3alpha1" }));
    for (const normalisation of ["jsonNormalisation/v2", "jsonNormalisation/v3"] as const) {
      equal(normalise(v3, normalisation), normalise(exampleWith(), normalisation));
    }
    ok(normalise(v3, "jsonNormalisation/v1").startsWith('[{"apiVersion":"ocm.software/v3alpha1"}'));
  });

  const labels = [
    { signing: true, kept: true },
    { signing: "true", kept: true },
    { signing: false, kept: false },
    { signing: undefined, kept: false },
  ];
  for (const { signing, kept } of labels) {
    test(`${kept ? "keeps" : "drops"} a label with signing ${JSON.stringify(signing)}`, () => {
      const text = normalise(
        exampleWith({ labels: [{ name: "the-label", value: 1, signing }] }),
        "jsonNormalisation/v2",
      );
      equal(text.includes("the-label"), kept);
      equal(text.includes("labels"), kept);
    });
  }

  test("gives twins their version as identity in v1 and v2, but not the last one, and none in v3", () => {
    const twins = exampleWith({ resources: [twin("1.0.0"), twin("1.1.0"), twin("1.2.0")] });
    const count = (text: string): number => text.split("extraIdentity").length - 1;
    const v2 = normalise(twins, "jsonNormalisation/v2");
    equal(count(v2), 2);
    ok(v2.includes('"extraIdentity":{"version":"1.0.0"}') && v2.includes('"extraIdentity":{"version":"1.1.0"}'));
    equal(count(normalise(twins, "jsonNormalisation/v3")), 0);
    ok(normalise(twins, "jsonNormalisation/v1").includes('{"extraIdentity":null},{"name":"twin"}'));
  });

  test("of v2 is canonical JSON", () => {
    const value = {
      "€": 1,
      "\r": 2,
      "1": 3,
      "😀": 4,
      ö: 5,
      list: [333_333_333.333_333_3, 1e30, 0.002, 1e-27, "<\u2028"],
    };
    const text = normalise(exampleWith({ labels: [{ name: "l", value, signing: true }] }), "jsonNormalisation/v2");
    ok(
      text.includes('{"\\r":2,"1":3,"list":[333333333.3333333,1e+30,0.002,1e-27,"<\u2028"],"ö":5,"€":1,"😀":4}'),
      text,
    );
  });
});

test("a provider that looks like JSON, but is none, is a name", () => {
  ok(normalise(exampleWith({ provider: "{acme" }), "jsonNormalisation/v1").includes('{"provider":"{acme"}'));
});

test("an unknown normalisation is named", () => {
  throws(() => parseNormalisation("jsonNormalisation/v9"), /"jsonNormalisation\/v9" is unknown; expected/);
});
