import { deepEqual, equal, rejects } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { describe, test } from "@jest/globals";
import { assert, asyncProperty, uint8Array } from "fast-check";
import { writeTar } from "oras-js";
import { contentOf, readContent } from "./content.ts";

const never = new AbortController().signal;
const isAppError = (error: unknown): boolean => error instanceof Error && "code" in error;

describe("readContent", () => {
  const yaml = "kind: A\nmetadata: {name: a}\n";
  const tar = writeTar([{ path: "a.yaml", content: Buffer.from(yaml) }]);

  test("reads plain, zipped and archived files alike (U073, U074)", async () => {
    for (const bytes of [Buffer.from(yaml), gzipSync(yaml), tar, gzipSync(tar)]) {
      deepEqual(await readContent(bytes, "x", never), { kind: "documents", text: yaml });
    }
  });

  test("finds the chart and the kustomization nearest to the root", () => {
    const file = (path: string): readonly [string, Uint8Array] => [path, Buffer.from("")];

    deepEqual(contentOf(new Map([file("demo/Chart.yaml"), file("demo/charts/sub/Chart.yaml")]), "x").kind, "chart");
    equal(contentOf(new Map([file("kustomization.yaml"), file("a.yaml")]), "x").kind, "kustomization");
  });

  test("a zip bomb ends at the limit", async () => {
    await rejects(readContent(gzipSync(Buffer.alloc(65 * 1024 * 1024)), "x", never), {
      code: "MANIFEST_CONTENT_INVALID",
    });
  });

  test("any bytes are content or a clear error", async () => {
    await assert(
      asyncProperty(uint8Array({ maxLength: 300 }), async (bytes) => {
        await readContent(bytes, "x", never).catch((error: unknown) => equal(isAppError(error), true, String(error)));
      }),
      { numRuns: 200 },
    );
  });
});
