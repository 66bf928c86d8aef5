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

type Check = (topic: string, one: ConformanceCase, got: unknown) => void;

interface Subject {
  readonly start: () => Promise<TestServer>;
  readonly check: Check;
  /** How often a case is asked before its answer counts. */
  readonly attempts: number;
}

/** The answer of the last attempt, or of the first one that passes the check. */
async function ask(server: TestServer, one: ConformanceCase, { attempts }: Subject, passes: (got: unknown) => void) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      passes(plain(await runCase(server, one)));
      return;
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
  }
}

function conformance(subject: Subject, topics: readonly string[] = Object.keys(suite)): void {
  let server: TestServer;
  beforeAll(async () => {
    server = await subject.start();
  }, 180_000);
  afterAll(() => server.stop());
  for (const topic of topics) {
    const cases = suite[topic] ?? [];
    describe(topic, () => {
      for (const one of cases) {
        test(one.name, () => ask(server, one, subject, (got) => subject.check(topic, one, got)), 120_000);
      }
    });
  }
}

const checkEmbedded: Check = (topic, one, got) => {
  const want = plain(recorded(topic)[one.name]);
  // A difference that is gone has to leave the list.
  if (differences[topic]?.[one.name] === undefined) deepEqual(got, want);
  else notDeepEqual(got, want);
};

describe("embedded API server", () => {
  const topics = Object.keys(suite).filter((topic) => topic !== "workloads");
  conformance({ start: startEmbeddedServer, attempts: 1, check: checkEmbedded }, topics);
});

// Elsewhere its controllers would write status in their own time, as those of Kubernetes do.
describe("embedded API server with controllers", () => {
  const start = (): Promise<TestServer> => startEmbeddedServer({ workload: true });
  conformance({ start, attempts: 1, check: checkEmbedded }, ["workloads"]);
});

if (assets === undefined) {
  process.stderr.write("conformance: only the embedded half runs; set KUBEBUILDER_ASSETS for a real kube-apiserver\n");
} else {
  describe("kube-apiserver", () => {
    conformance({
      start: () => startKubeApiServer(assets),
      // Its controllers write status in their own time, so an answer may come before or after them.
      attempts: 4,
      check: (topic, one, got) => deepEqual(got, plain(recorded(topic)[one.name])),
    });
  });
}
