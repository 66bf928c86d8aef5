import { deepEqual, equal, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { formatDescriptor, type Normalisation, normalisations, normalise, parseDescriptor } from "@kyma-operators/ocm";
import { casesDir } from "./cases-dir.ts";

type RecordedCase = {
  readonly id: string;
  readonly about: string;
  readonly descriptor: string;
  readonly error?: string;
  readonly encoded: string;
} & { readonly [N in Normalisation]: { readonly text: string; readonly sha256: string } };

const recorded = JSON.parse(readFileSync(join(casesDir, "cases/ocm/normalisation.json"), "utf8")) as RecordedCase[];
const readable = recorded.filter(({ error }) => error === undefined);
const refused = recorded.filter(({ error }) => error !== undefined);

/** The field that a recorded refusal names: the path before the colon, and the word that it asks for. */
function namedField(error: string): string {
  const [, path, missing] = /^(?:\S+:\S+: )?([\w.[\]]+): (?:(\w+) is required)?/.exec(error) ?? [];
  if (missing !== undefined) return `${path}: ${missing} is required`;
  if (error.startsWith("schema version")) return error.slice(0, error.indexOf(" not supported"));
  return error.startsWith("error converting YAML") ? "YAML" : `${path}: `;
}

describe("the 87 recorded descriptors", () => {
  test("are all there", () => {
    deepEqual({ readable: readable.length, refused: refused.length }, { readable: 77, refused: 10 });
  });

  for (const one of readable) {
    test(`${one.id}, ${one.about}: normalised texts, digests and encoding are equal`, () => {
      const descriptor = parseDescriptor(one.descriptor);
      for (const normalisation of normalisations) {
        const text = normalise(descriptor, normalisation);
        equal(text, one[normalisation].text, normalisation);
        equal(hash("sha256", text, "hex"), one[normalisation].sha256, normalisation);
      }
      equal(formatDescriptor(descriptor), one.encoded);
      equal(formatDescriptor(parseDescriptor(one.encoded)), one.encoded);
    });
  }

  for (const { id, about, descriptor, error = "" } of refused) {
    test(`${id}, ${about}: is refused with the same field`, () => {
      let text = "";
      try {
        parseDescriptor(descriptor, { source: id });
      } catch (thrown) {
        text = (thrown as Error).message;
      }
      ok(
        text.includes(namedField(error)),
        `expected the field of ${JSON.stringify(error)}, got ${JSON.stringify(text)}`,
      );
    });
  }
});

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe("the built kyma component digest", () => {
  const scratch = mkdtempSync(join(tmpdir(), "kyma-digest-"));
  const program = join(scratch, "dist/kyma.js");

  function run(args: readonly string[]): Promise<Answer> {
    return new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: scratch, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      });
    });
  }

  /** Two at a time, as there are cores. */
  async function runAll(commands: readonly (readonly string[])[]): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    const rest = commands.entries();
    const worker = async (): Promise<void> => {
      for (const [index, args] of rest) answers[index] = await run(args);
    };
    await Promise.all([worker(), worker()]);
    return answers;
  }

  beforeAll(async () => {
    const { code, stderr } = await run([
      join(import.meta.dirname, "../hack/build.ts"),
      "--outdir",
      join(scratch, "dist"),
    ]);
    equal(code, 0, stderr);
    for (const { id, descriptor } of recorded) writeFileSync(join(scratch, `${id}.yaml`), descriptor);
  }, 120_000);
  afterAll(() => rmSync(scratch, { recursive: true }));

  const runs = readable.flatMap((one) =>
    normalisations.map((normalisation) => ({
      one,
      normalisation,
      args: [`${one.id}.yaml`, "--normalisation", normalisation],
    })),
  );

  test("prints the recorded digest of every descriptor and normalisation", async () => {
    const answers = await runAll(runs.map(({ args }) => [program, "component", "digest", ...args]));
    for (const [i, { one, normalisation }] of runs.entries()) {
      deepEqual(
        answers[i],
        { code: 0, stdout: `${one[normalisation].sha256}\n`, stderr: "" },
        `${one.id} ${normalisation}`,
      );
    }
  }, 400_000);

  // The digests above are of these texts, so one normalisation for each descriptor is enough here.
  test("prints the normalised text itself", async () => {
    const shown = runs.filter(
      (_, i) => i % normalisations.length === Math.floor(i / normalisations.length) % normalisations.length,
    );
    equal(shown.length, readable.length);
    const answers = await runAll(
      shown.map(({ args }) => [program, "component", "digest", ...args, "--show-normalised"]),
    );
    for (const [i, { one, normalisation }] of shown.entries()) {
      deepEqual(
        answers[i],
        { code: 0, stdout: `${one[normalisation].text}\n`, stderr: "" },
        `${one.id} ${normalisation}`,
      );
    }
  }, 400_000);

  test("uses jsonNormalisation/v2 unless told otherwise", async () => {
    const [one] = readable;
    equal(
      (await run([program, "component", "digest", `${one?.id}.yaml`])).stdout,
      `${one?.["jsonNormalisation/v2"].sha256}\n`,
    );
  });

  test("ends with 1 and the reason for what cannot be read", async () => {
    const answers = await runAll(refused.map(({ id }) => [program, "component", "digest", `${id}.yaml`]));
    for (const [i, { id, error = "" }] of refused.entries()) {
      const { code, stdout, stderr } = answers[i] ?? { code: -1, stdout: "", stderr: "" };
      deepEqual({ code, stdout }, { code: 1, stdout: "" }, id);
      ok(stderr.includes(namedField(error)), `${id}: ${stderr}`);
    }
  }, 60_000);

  test("ends with 1 for a file that is not there", async () => {
    const { code, stderr } = await run([program, "component", "digest", "absent.yaml"]);
    equal(code, 1);
    ok(stderr.includes("absent.yaml"), stderr);
  });
});
