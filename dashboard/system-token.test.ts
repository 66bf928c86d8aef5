import { equal, rejects } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { readToken } from "./system-token.ts";

describe("the file with the token", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dashboard-token-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const read = async (text: string): Promise<string> => {
    const path = join(folder, "token");
    await writeFile(path, text);
    return (await readToken(path)).reveal();
  };

  test("may end with a line break", async () => {
    equal(await read("0123456789abcdef\n"), "0123456789abcdef");
  });

  test("must hold one token that nobody guesses", async () => {
    await rejects(read("short"), /expected one token of 16 to 4096 characters, found 5/);
    await rejects(read("two tokens in one file"), /expected one token/);
    await rejects(read(""), /found 0/);
  });

  test("must be there", async () => {
    await rejects(readToken(join(folder, "absent")), /--dashboard-token-file=.*absent: cannot be read/);
  });
});
