import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import * as fc from "fast-check";
import { parseDescriptor } from "./read.ts";
import { exampleDocument, exampleWith } from "./testing.ts";
import type { Label } from "./types.ts";
import { descriptorToObject, formatDescriptor } from "./write.ts";

const resource = exampleDocument.component.resources[0];

function v3(more: Readonly<Record<string, unknown>> = {}, metadata: Readonly<Record<string, unknown>> = {}): object {
  return {
    apiVersion: "ocm.software/v3alpha1",
    kind: "ComponentVersion",
    metadata: { name: "example.org/module/demo", version: "1.4.2", provider: { name: "example.org" }, ...metadata },
    ...more,
  };
}

describe("parseDescriptor", () => {
  test("reads a provider in all its forms as the same model", () => {
    const labels: readonly Label[] = [{ name: "a", value: "b", signing: true }];
    deepEqual(exampleWith({ provider: "example.org" }).provider, { name: "example.org", labels: [] });
    deepEqual(
      exampleWith({ provider: '{"name":"example.org","labels":[{"name":"a","value":"b","signing":true}]}' }).provider,
      { name: "example.org", labels },
    );
    deepEqual(parseDescriptor(v3({}, { provider: { name: "example.org", labels } })).provider, {
      name: "example.org",
      labels,
    });
    deepEqual(exampleWith({ provider: "{no json" }).provider, { name: "{no json", labels: [] });
  });

  test("reads YAML, JSON, bytes and objects alike", () => {
    const text = JSON.stringify(exampleDocument);
    for (const input of [text, Buffer.from(text), formatDescriptor(exampleWith())]) {
      deepEqual(parseDescriptor(input), parseDescriptor(exampleDocument));
    }
  });

  test("keeps an unknown access as it is", () => {
    const access = { type: "s3", bucket: "b", nested: { key: [1, 2] } };
    deepEqual(exampleWith({ resources: [{ ...resource, access }] }).resources[0]?.access, access);
  });

  test("keeps all digits of large integers and drops what is false", () => {
    const descriptor = parseDescriptor(
      formatDescriptor(exampleWith({ labels: [{ name: "big", value: 12_345_678_901_234_567_890n, signing: false }] })),
    );
    deepEqual(descriptor.labels, [{ name: "big", value: 12_345_678_901_234_567_890n }]);
  });

  const refused = [
    {
      name: "an element name of one letter",
      change: { resources: [{ ...resource, name: "a" }] },
      reason: /component\.resources\[0\]\.name: String length/,
    },
    {
      name: "an element name in capitals",
      change: { resources: [{ ...resource, name: "Raw" }] },
      reason: /resources\[0\]\.name: Does not match pattern/,
    },
    {
      name: "a version that is none",
      change: { version: "latest" },
      reason: /component\.version: Does not match pattern/,
    },
    {
      name: "an unknown relation",
      change: { resources: [{ ...resource, relation: "near" }] },
      reason: /resources\[0\]\.relation: expected "local" or "external"/,
    },
    {
      name: "an access without type",
      change: { resources: [{ ...resource, access: {} }] },
      reason: /resources\[0\]\.access: type is required/,
    },
    {
      name: "a digest without value",
      change: { resources: [{ ...resource, digest: { hashAlgorithm: "SHA-256", normalisationAlgorithm: "x" } }] },
      reason: /resources\[0\]\.digest: value is required/,
    },
    {
      name: "a label without value",
      change: { labels: [{ name: "a" }] },
      reason: /component\.labels\[0\]: value is required/,
    },
    {
      name: "a label version that is none",
      change: { labels: [{ name: "a", value: 1, version: "1" }] },
      reason: /labels\[0\]\.version/,
    },
    { name: "resources that are no list", change: { resources: {} }, reason: /component\.resources: expected a list/ },
    {
      name: "an identity that is no text",
      change: { resources: [{ ...resource, extraIdentity: { os: 1 } }] },
      reason: /extraIdentity\.os: expected a string/,
    },
    {
      name: "an unknown field of a reference",
      change: { componentReferences: [{ name: "dep", componentName: "a.example/b", version: "1.0.0", extra: 1 }] },
      reason: /componentReferences\[0\]: Additional property extra/,
    },
    {
      name: "two resources of the same identity",
      change: { resources: [resource, resource] },
      reason: /resources\[1\]: Duplicate value/,
    },
    {
      name: "two references of the same identity",
      change: {
        componentReferences: [0, 1].map(() => ({ name: "dep", componentName: "a.example/b", version: "1.0.0" })),
      },
      reason: /componentReferences\[1\]: Duplicate value/,
    },
    {
      name: "no repository contexts at all",
      change: { repositoryContexts: null },
      reason: /component: repositoryContexts is required/,
    },
  ];
  for (const { name, change, reason } of refused) {
    test(`refuses ${name}, naming the field`, () => throws(() => exampleWith(change), reason));
  }

  const refusedV3 = [
    {
      name: "another API version",
      document: { ...v3(), apiVersion: "ocm.gardener.cloud/v3" },
      reason: /schema version "ocm\.gardener\.cloud\/v3" not supported, expected v2 or ocm\.software\/v3alpha1/,
    },
    { name: "another kind", document: { ...v3(), kind: "Component" }, reason: /kind: expected ComponentVersion/ },
    { name: "no name", document: v3({}, { name: undefined }), reason: /metadata: name is required/ },
    {
      name: "a provider that is a text",
      document: v3({}, { provider: "x" }),
      reason: /metadata\.provider: expected an object/,
    },
    { name: "a list", document: [], reason: /expected an object/ },
  ];
  for (const { name, document, reason } of refusedV3) {
    test(`refuses ${name}`, () => throws(() => parseDescriptor(document), reason));
  }

  test("names the source of what cannot be read", () => {
    throws(
      () => parseDescriptor(Buffer.of(0xff, 0xfe), { source: "reg.io/a:1" }),
      /^AppError: reg\.io\/a:1: not readable as YAML or JSON/,
    );
    throws(() => parseDescriptor("x".repeat(4_194_305), { source: "big" }), /big: larger than/);
  });

  test("fails only with its own error, whatever it is given", () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 3, withNullPrototype: false }), (value) => {
        try {
          parseDescriptor({
            meta: { schemaVersion: "v2" },
            component: { ...exampleDocument.component, resources: value, labels: value },
          });
        } catch (error) {
          equal((error as { code?: string }).code, "OCM_DESCRIPTOR_INVALID");
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("formatDescriptor", () => {
  test("what it writes is read as the same model, in both schemas", () => {
    for (const descriptor of [exampleWith(), { ...exampleWith(), schemaVersion: "v3alpha1" as const }]) {
      deepEqual(parseDescriptor(formatDescriptor(descriptor)), descriptor);
      deepEqual(parseDescriptor(descriptorToObject(descriptor)), descriptor);
    }
  });

  test("writes empty lists of v2 and leaves those of v3 out", () => {
    const empty = exampleWith({ resources: [], sources: [], repositoryContexts: [] });
    ok(formatDescriptor(empty).includes("resources: []\n  sources: []\n"));
    ok(formatDescriptor({ ...empty, schemaVersion: "v3alpha1" }).endsWith("repositoryContexts: []\nspec: {}\n"));
  });
});
