import { equal, match } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { builtProgram, kyma, run } from "../programs.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-e2e-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

const oneLineError = /^Error: [^\n]+\n$/;

describe("kyma local up refuses in one line", () => {
  test("a port in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await kyma(["local", "up", "--data-dir", join(folder, "a"), "--api-port", String(port)]);
    taken.close();
    equal(code, 1);
    match(stderr, oneLineError);
    match(stderr, new RegExp(`port ${port} for the control plane is in use`));
  });

  test("a data directory that can't be written", async () => {
    await writeFile(join(folder, "file"), "");
    const { code, stderr } = await kyma(["local", "up", "--data-dir", join(folder, "file", "world")]);
    equal(code, 1);
    match(stderr, oneLineError);
    match(stderr, /cannot write to .*--data-dir/);
  });

  test("a data directory of somebody else", async () => {
    const { code, stderr } = await kyma(["local", "up", "--data-dir", folder]);
    equal(code, 1);
    match(stderr, /is not a data directory of "kyma local"/);
  });
});

describe("an old Node.js", () => {
  for (const name of ["kyma", "operator", "apiserver"] as const) {
    test(`gets one line with the way out from ${name}`, async () => {
      const pretend = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
      const { code, stdout, stderr } = await run(process.execPath, ["--import", pretend, builtProgram(name), "--help"]);
      equal(code, 1);
      equal(stdout, "");
      match(stderr, /^Error: Node\.js 24\.15 or newer is needed, this is 20\.20\.2: [^\n]+\n$/);
    });
  }
});
