import { equal, ok } from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { isAppError } from "@kyma-operators/errors";
import { systemClock } from "@kyma-operators/kube";
import { type Compat, render, renderFiles } from "helm-ts-lite";
import { runCli } from "../cli/run.ts";
import { fakeIo } from "../cli/testing.ts";
import { type Answer, chartFiles, chartOf, type Expression, expressions } from "./helm-table.ts";

const release = { name: "rel", namespace: "ns1" };

async function failureOf(body: () => Promise<unknown>): Promise<string> {
  try {
    await body();
  } catch (error) {
    if (isAppError(error)) return error.message;
    throw error;
  }
  return "no error";
}

function checkError(message: string, answer: Answer): void {
  if (answer.error !== undefined) equal(message, answer.error);
  ok(message.startsWith(answer.error_starts ?? ""), message.slice(0, 300));
  ok(message.endsWith(answer.error_ends ?? ""), message.slice(-300));
}

async function check({ template, lossy }: Expression, answer: Answer, compat: Compat): Promise<void> {
  const chart = chartOf(template, compat);
  if (answer.expected === undefined) {
    checkError(await failureOf(() => render(chart, { release, compat })), answer);
    return;
  }
  const text = (await renderFiles(chart, { release, compat })).get("x/templates/case.yaml") ?? "";
  equal(lossy === true ? text.toWellFormed() : text, answer.expected);
}

describe("the table of expressions", () => {
  test("has all of its rows", () => equal(expressions.length, 646));
  for (const row of expressions) test(row.id, () => check(row, row, 4));
});

describe("the table of expressions under helm 3", () => {
  for (const row of expressions) test(row.id, () => check(row, { ...(row.helm3 ?? row) }, 3));
});

describe("errors of the table through kyma template", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "helm-expressions-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  for (const row of expressions.filter(({ expected }) => expected === undefined)) {
    test(row.id, async () => {
      for (const [path, data] of chartFiles(row.template)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), data);
      }
      const io = { ...fakeIo(), cwd: folder, clock: systemClock };
      equal(await runCli(["template", "rel", ".", "--namespace", "ns1"], io), 1);
      const message = io.err().replace(/^[\s\S]*?Error: /, "");
      checkError(message.replace("\n\nUse --debug flag to render out invalid YAML", "").replace(/\n$/, ""), row);
    });
  }
});
