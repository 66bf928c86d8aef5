import { deepEqual, match, ok } from "node:assert/strict";
import { test } from "@jest/globals";
import { isAppError } from "@kyma-operators/errors";
import * as fc from "fast-check";
import { clusterFromKubeconfig } from "./kubeconfig.ts";
import { errorFromStatus } from "./status.ts";
import { type RawEvent, readEvents } from "./watch-stream.ts";

const detail = { host: "h", method: "GET", path: "/" };

const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "c",
  contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
  clusters: [{ name: "k", cluster: { server: "https://api.example.com" } }],
  users: [{ name: "u", user: { token: "hunter2" } }],
});

test("whatever a kubeconfig says, the answer is an access or a refusal that shows no token", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('"', "{", "}", ":", "*a", "&a ", "\n", "https://", "null", "__proto__"),
  );
  const damage = fc.record({ at: fc.nat(kubeconfig.length), drop: fc.nat(20), put: piece });
  fc.assert(
    fc.property(fc.array(damage, { maxLength: 4 }), (damages) => {
      let text = kubeconfig;
      for (const { at, drop, put } of damages) text = text.slice(0, at) + put + text.slice(at + drop);
      try {
        match(clusterFromKubeconfig(text).server, /^https:\/\//);
      } catch (error) {
        ok(isAppError(error) && error.code === "KUBE_KUBECONFIG", String(error));
        ok(!error.message.includes("hunter2"));
      }
    }),
    { numRuns: 1500 },
  );
});

async function collect(chunks: readonly Uint8Array[]): Promise<{ events: RawEvent[]; code: string }> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const events: RawEvent[] = [];
  try {
    for await (const event of readEvents({ body: body() }, detail, () => undefined)) events.push(event);
    return { events, code: "" };
  } catch (error) {
    ok(isAppError(error) && error.code.startsWith("KUBE_"), String(error));
    return { events, code: error.code };
  }
}

test("a watch reads the same however its bytes are cut, and fails only by its own errors", async () => {
  const object = fc.record({ metadata: fc.record({ name: fc.string(), resourceVersion: fc.nat().map(String) }) });
  const line = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record({ type: fc.constantFrom("ADDED", "MODIFIED", "DELETED", "BOOKMARK"), object })
        .map((event) => JSON.stringify(event)),
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 6 }), async (lines, cuts) => {
      const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(""));
      const borders = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort(
        (a, b) => a - b,
      );
      const chunks = borders.slice(1).map((end, index) => bytes.subarray(borders[index], end));
      deepEqual(await collect(chunks), await collect([bytes]));
    }),
    { numRuns: 400 },
  );
});

test("any answer of any status is a typed error with a bounded text", () => {
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 999 }), fc.anything({ maxDepth: 4 }), (status, body) => {
      const error = errorFromStatus({ method: "GET", path: "/x?y", status, body });
      ok(isAppError(error) && error.code.startsWith("KUBE_"));
      ok(error.message.length < 5000);
    }),
    { numRuns: 1000 },
  );
});
