import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { array, assert as check, constantFrom, integer, json, jsonValue, nat, property, record } from "fast-check";
import { ApiError } from "../api-error.ts";
import { duplicateFields } from "./json-duplicates.ts";
import { applyJsonPatch, applyMergePatch } from "./json-patch.ts";
import { parseProtobuf } from "./protobuf.ts";
import { formatProtobuf, hasProtobuf } from "./protobuf-write.ts";
import { queryInteger } from "./query.ts";

describe("queryInteger", () => {
  const read = (text: string): number | undefined => queryInteger(new URLSearchParams({ n: text }), "n");
  test("reads what Go's strconv reads", () => {
    deepEqual(["7", "-7", "+07", "0", "9223372036854775807"].map(read), [7, -7, 7, 0, 2 ** 63]);
    equal(queryInteger(new URLSearchParams(), "n"), undefined);
  });
  test("refuses all else", () => {
    for (const text of ["", "x", "1.5", "1e3", " 1", "0x1"]) throws(() => read(text), /invalid syntax/);
    for (const text of ["9223372036854775808", "-9223372036854775809", "9".repeat(99)])
      throws(() => read(text), /value out of range/);
  });
});

describe("duplicateFields", () => {
  test("names fields that stand twice", () => {
    deepEqual(duplicateFields('{"a":1,"b":{"c":1,"c":2},"l":[{"x":1,"x":"a\\"b"}],"a":{}}'), ["b.c", "l[0].x", "a"]);
  });
  test("finds none in what JSON.stringify writes", () => {
    check(property(json(), (text) => deepEqual(duplicateFields(JSON.stringify(JSON.parse(text))), [])));
  });
});

describe("applyMergePatch", () => {
  test("follows RFC 7386", () => {
    const target = { a: "b", c: { d: "e", f: "g" } };
    deepEqual(applyMergePatch(target, { a: "z", c: { f: null }, n: { x: null, y: 1 } }), {
      a: "z",
      c: { d: "e" },
      n: { y: 1 },
    });
    deepEqual(target, { a: "b", c: { d: "e", f: "g" } });
  });
  test("takes __proto__ for a field", () => {
    const patched = applyMergePatch({}, JSON.parse('{"__proto__":{"x":1}}')) as object;
    equal(Object.hasOwn(patched, "__proto__"), true);
    equal("x" in {}, false);
  });
});

describe("applyJsonPatch", () => {
  test("leaves the document alone", () => {
    const document = { list: [1] };
    equal(JSON.stringify(applyJsonPatch(document, [{ op: "add", path: "/list/-", value: 2 }])), '{"list":[1,2]}');
    deepEqual(document, { list: [1] });
  });
  test("never fails otherwise than by a refusal", () => {
    const operation = record({
      op: constantFrom("add", "remove", "replace", "move", "copy", "test", "other"),
      path: constantFrom("", "/a", "/a/0", "/a/-", "/__proto__/x", "/constructor/prototype/x", "a"),
      from: constantFrom("/a", "", "/b"),
      value: jsonValue(),
    });
    check(
      property(array(operation, { maxLength: 4 }), (patch) => {
        try {
          applyJsonPatch({ a: [1] }, patch);
        } catch (error) {
          equal(error instanceof ApiError, true, String(error));
        }
        equal("x" in {}, false);
      }),
    );
  });
});

/** Protobuf by hand: a field of bytes. */
const field = (number: number, content: string | Uint8Array): Uint8Array => {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
};
const all = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);

describe("parseProtobuf", () => {
  const entry = (key: string, value: string): Uint8Array => all(field(1, key), field(2, value));
  const configMap = all(
    field(1, all(field(1, "cm"), field(3, ""))),
    field(2, entry("a", "1")),
    field(2, entry("__proto__", "2")),
  );
  const body = all(Buffer.from("k8s\0"), field(1, all(field(1, "v1"), field(2, "ConfigMap"))), field(2, configMap));

  test("reads a ConfigMap as client-go sends it", () => {
    const object = parseProtobuf(body);
    deepEqual(
      JSON.stringify(object),
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm"},"data":{"a":"1","__proto__":"2"}}',
    );
  });
  test("refuses other bytes, never otherwise than by a refusal", () => {
    throws(() => parseProtobuf(Buffer.from("{}")), ApiError);
    check(
      property(nat(body.length - 1), integer({ min: 0, max: 255 }), (index, value) => {
        const broken = Uint8Array.from(body);
        broken[index] = value;
        try {
          parseProtobuf(broken);
        } catch (error) {
          equal(error instanceof ApiError, true, String(error));
        }
      }),
    );
  });
});

describe("formatProtobuf", () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      creationTimestamp: "2026-01-02T03:04:05Z",
      labels: { a: "b", ["__proto__"]: "c" },
      managedFields: [{ manager: "m", operation: "Apply", fieldsType: "FieldsV1", fieldsV1: { "f:spec": {} } }],
    },
    spec: {
      replicas: 0,
      strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
      template: {
        spec: {
          containers: [{ name: "c", resources: { limits: { cpu: "100m" } }, securityContext: { runAsUser: -1 } }],
        },
      },
    },
  };
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "l" },
    spec: { renewTime: "2026-01-02T03:04:05.000678Z", leaseDurationSeconds: 15 },
  };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { key: "AAH/" } };

  for (const object of [deployment, lease, secret]) {
    test(`keeps all of a ${object.kind}`, () => {
      equal(JSON.stringify(parsed(formatProtobuf(object))), JSON.stringify(parsed(object)));
    });
  }
  test("knows which kinds have messages", () => {
    deepEqual(
      [hasProtobuf("v1", "PodList"), hasProtobuf("v1", "Pad"), hasProtobuf("example.com/v1", "Thing")],
      [true, false, false],
    );
  });
});

/** Fields in one order, and without those that an absent message has as zero. */
function parsed(value: unknown): unknown {
  const object = value instanceof Uint8Array ? parseProtobuf(value) : value;
  if (Array.isArray(object)) return object.map(parsed);
  if (typeof object !== "object" || object === null) return object;
  const entries = Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, parsed(inner)]));
}
