import { deepEqual, notDeepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { startEmbeddedServer, startKubeApiServer, type TestServer } from "../../testing/index.ts";
import type { Answer, ConformanceCase } from "./case.ts";
import { differences } from "./differences.ts";
import { normalize } from "./normalize.ts";
import { runCase } from "./run.ts";
import { suite } from "./suite.ts";

const assets = process.env.KUBEBUILDER_ASSETS;

function recorded(topic: string): Readonly<Record<string, readonly Answer[]>> {
  const path = join(import.meta.dirname, "answers", `${topic}.json`);
  return JSON.parse(readFileSync(path, "utf8")) as Record<string, readonly Answer[]>;
}

const plain = (answers: unknown): unknown => normalize(JSON.parse(JSON.stringify(answers)), "<ns>");

function conformance(
  start: () => Promise<TestServer>,
  check: (topic: string, one: ConformanceCase, got: unknown) => void,
): void {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
  }, 180_000);
  afterAll(() => server.stop());
  for (const [topic, cases] of Object.entries(suite)) {
    describe(topic, () => {
      for (const one of cases) {
        test(one.name, async () => check(topic, one, plain(await runCase(server, one))), 120_000);
      }
    });
  }
}

describe("embedded API server", () => {
  conformance(startEmbeddedServer, (topic, one, got) => {
    const want = plain(recorded(topic)[one.name]);
    // A difference that is gone has to leave the list.
    if (differences[topic]?.[one.name] === undefined) deepEqual(got, want);
    else notDeepEqual(got, want);
  });
});

if (assets === undefined) {
  process.stderr.write("conformance: only the embedded half runs; set KUBEBUILDER_ASSETS for a real kube-apiserver\n");
} else {
  describe("kube-apiserver", () => {
    conformance(
      () => startKubeApiServer(assets),
      (topic, one, got) => deepEqual(got, plain(recorded(topic)[one.name])),
    );
  });
}
