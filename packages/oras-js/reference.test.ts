import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import * as fc from "fast-check";
import { formatReference, joinRepository, parseReference, parseRepository } from "./reference.ts";

const hex = "a".repeat(64);

describe("parseReference", () => {
  const cases = [
    { text: "reg.io/a", host: "reg.io", path: "a" },
    { text: "reg.io/a/b-c__d.e:1.4.2", host: "reg.io", path: "a/b-c__d.e", tag: "1.4.2" },
    { text: `reg.io:5000/a@sha256:${hex}`, host: "reg.io:5000", path: "a", digest: `sha256:${hex}` },
    { text: `localhost/a:v1@sha256:${hex}`, host: "localhost", path: "a", tag: "v1", digest: `sha256:${hex}` },
    { text: "[::1]:5000/a:b", host: "[::1]:5000", path: "a", tag: "b" },
    { text: "oci://reg.io/a", host: "reg.io", path: "a" },
    { text: "http://reg.io/a", host: "reg.io", path: "a", plainHttp: true },
    { text: "Reg/a", host: "Reg", path: "a" },
  ];
  for (const { text, plainHttp = false, ...want } of cases) {
    test(`reads ${text}`, () => deepEqual(parseReference(text), { ...want, plainHttp }));
  }

  test("fills in the default host as docker does", () => {
    equal(formatReference(parseReference("alpine:3", { defaultHost: "docker.io" })), "docker.io/library/alpine:3");
    equal(formatReference(parseReference("grafana/loki", { defaultHost: "docker.io" })), "docker.io/grafana/loki");
  });

  const refused = [
    { name: "no host", text: "alpine:3", reason: /names no registry host/ },
    { name: "an upper-case path", text: "reg.io/A", reason: /path segment "A"/ },
    { name: "an empty segment", text: "reg.io/a//b", reason: /path segment ""/ },
    { name: "a step out", text: "reg.io/../b", reason: /path segment ".."/ },
    { name: "a short digest", text: "reg.io/a@sha256:abc", reason: /no digest/ },
    { name: "an upper-case digest", text: `reg.io/a@sha256:${"A".repeat(64)}`, reason: /no digest/ },
    { name: "a bad tag", text: "reg.io/a:-x", reason: /no tag/ },
    { name: "a bad port", text: "reg.io:99999/a", reason: /no host name/ },
    { name: "a user", text: "user@reg.io/a", reason: /no digest/ },
    { name: "too long a name", text: `reg.io/${"a".repeat(256)}`, reason: /longer than 255/ },
    { name: "nothing", text: "", reason: /names no registry host/ },
  ];
  for (const { name, text, reason } of refused) {
    test(`refuses ${name}`, () => throws(() => parseReference(text), reason));
  }

  test("what it reads, formatReference writes back", () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const parts = fc.record({
      host: fc.constantFrom("reg.io", "localhost:5000", "[2001:db8::1]:443", "a.b-c.d"),
      path: fc.array(
        fc.tuple(label, fc.constantFrom(".", "_", "__", "-", "---"), label).map((t) => t.join("")),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      tag: fc.option(fc.stringMatching(/^\w[\w.-]{0,20}$/), { nil: "" }),
      digest: fc.constantFrom("", `sha256:${hex}`, `sha512:${hex}${hex}`),
    });
    fc.assert(
      fc.property(parts, ({ host, path, tag, digest }) => {
        const text = `${host}/${path.join("/")}${tag && `:${tag}`}${digest && `@${digest}`}`;
        equal(formatReference(parseReference(text)), text);
      }),
      { numRuns: 300 },
    );
  });

  test("never fails in another way than with its own error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        try {
          parseReference(text);
        } catch (error) {
          equal((error as { code?: string }).code, "OCI_REFERENCE_INVALID");
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("joinRepository", () => {
  test("joins segments, not texts", () => {
    const base = parseRepository("http://reg.io:5001/base");
    deepEqual(joinRepository(base, "/sub/", "", "a//b"), {
      host: "reg.io:5001",
      path: "base/sub/a/b",
      plainHttp: true,
    });
  });

  test("takes a host that is a bare word", () => {
    equal(joinRepository({ host: "registry", plainHttp: false }, "a").host, "registry");
  });

  test("refuses a segment that leads out", () => {
    throws(() => joinRepository({ host: "reg.io", plainHttp: false }, "..", "a"), /path segment ".."/);
  });
});
