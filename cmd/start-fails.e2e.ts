import { equal, match } from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "../apiserver/index.ts";
import { builtProgram, run } from "../e2e/programs.ts";

let cluster: ApiServer;
let taken: Server;
let folder: string;
beforeAll(async () => {
  cluster = await startApiServer({ workload: false });
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  folder = await mkdtemp(join(tmpdir(), "kyma-start-"));
  await writeFile(join(folder, "kubeconfig"), await cluster.kubeconfig());
  await mkdir(join(folder, "tmp"));
});
afterAll(async () => {
  taken.close();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("an operator whose port is in use ends with the error and leaves nothing behind", () => {
  for (const flag of ["metrics-bind-address", "health-probe-bind-address", "dashboard-bind-address"]) {
    test(`--${flag}`, async () => {
      const binds = new Map([
        ["metrics-bind-address", "127.0.0.1:0"],
        ["health-probe-bind-address", "127.0.0.1:0"],
        ["dashboard-bind-address", "127.0.0.1:0"],
        [flag, `127.0.0.1:${(taken.address() as AddressInfo).port}`],
      ]);
      const flags = [...binds].map(([name, bind]) => `--${name}=${bind}`);
      const where = [`--kubeconfig=${join(folder, "kubeconfig")}`, "--oci-registry-host=registry.example.test"];
      const args = [builtProgram("operator"), "--controllers=manifest", ...where, ...flags];
      const env = { TMPDIR: join(folder, "tmp") };
      const { code, stderr } = await run(process.execPath, args, { env, timeoutMs: 20_000 });
      match(stderr, /can't listen on 127\.0\.0\.1:\d+: the port is in use.*\(LISTEN_FAILED\)/);
      equal(code, 1);
      equal((await readdir(join(folder, "tmp"))).join(), "");
    });
  }
});

describe("an API server names the flag of a port that it can't have", () => {
  test("in use", async () => {
    const port = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await run(process.execPath, [builtProgram("apiserver"), "--port", port]);
    match(stderr, /^Error: port \d+ is in use: stop what listens there, or take another one with --port/);
    equal(code, 1);
  });
});
