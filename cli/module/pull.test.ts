import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { FakeClock, patiently, startCluster, type TestCluster } from "../../testing/index.ts";
import { systemFiles } from "../system-files.ts";
import { fakeIo } from "../testing.ts";
import { type PullFlags, pullModule } from "./pull.ts";

const entry = (moduleName: string, version: string) => ({
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "ModuleTemplate",
  metadata: { name: `${moduleName}-${version}` },
  spec: { moduleName, version, descriptor: {} },
});
const catalog = [
  entry("alpha", "1.9.0"),
  entry("alpha", "1.10.0"),
  entry("alpha", "2.0.0-rc1"),
  entry("beta", "0.2.0-rc1"),
  entry("beta", "0.1.0-rc1"),
  { kind: "Something" },
];

let cluster: TestCluster;
let clock: FakeClock;
let answer = { status: 200, body: "" };
let url = "";
const server = createServer((_, response) => {
  response.statusCode = answer.status;
  response.end(answer.body);
});
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startCluster({ clock });
  answer = { status: 200, body: JSON.stringify(catalog) };
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/all-modules.json`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
  await cluster.stop();
});

async function pull(name: string, flags: Partial<PullFlags> = {}): Promise<string> {
  const io = { ...fakeIo({ files: systemFiles("/") }), clock };
  let ended = false;
  const run = pullModule(io, cluster.clientFor("kyma"), name, {
    namespace: "default",
    remoteUrl: url,
    output: "text",
    ...flags,
  });
  void run.then(
    () => {
      ended = true;
    },
    () => {
      ended = true;
    },
  );
  await patiently(clock, () => ended);
  await run;
  return io.out();
}

const stored = async () =>
  (await cluster.list("operator.kyma-project.io/v1beta2", "ModuleTemplate")).map(
    ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
  );

describe("kyma module pull", () => {
  test("#67 #69 stores the highest stable version, with the CRD where it is missing", async () => {
    equal(await pull("alpha"), "alpha 1.10.0: stored as ModuleTemplate default/alpha-1.10.0\n");
    deepEqual(await stored(), ["default/alpha-1.10.0"]);
  });

  test("#67 takes the version that is asked for, and a pre-release only where nothing is stable", async () => {
    match(await pull("alpha", { moduleVersion: "2.0.0-rc1" }), /^alpha 2\.0\.0-rc1/);
    match(await pull("beta"), /^beta 0\.2\.0-rc1/);
    await rejects(
      pull("alpha", { moduleVersion: "3.0.0" }),
      /no version 3\.0\.0: there are 1\.9\.0, 1\.10\.0, 2\.0\.0-rc1/,
    );
  });

  test("#67 refuses what is unknown, what is there already, and the namespace of managed modules", async () => {
    await rejects(pull("alphaa"), /unknown module "alphaa": did you mean "alpha"/);
    await pull("alpha");
    await rejects(pull("alpha"), /ModuleTemplate default\/alpha-1\.10\.0 exists already/);
    match(await pull("alpha", { force: true }), /stored/);
    await rejects(pull("alpha", { namespace: "kyma-system" }), /kept for modules that Kyma manages/);
  });

  test("-o json tells what was stored where, and whether it replaced another one, in one document", async () => {
    const stored = { module: "alpha", version: "1.10.0", template: "default/alpha-1.10.0" };
    deepEqual(JSON.parse(await pull("alpha", { output: "json" })), { ...stored, created: true });
    deepEqual(JSON.parse(await pull("alpha", { output: "json", force: true })), { ...stored, created: false });
    equal(
      await pull("beta", { output: "yaml" }),
      "created: true\nmodule: beta\ntemplate: default/beta-0.2.0-rc1\nversion: 0.2.0-rc1\n",
    );
  });

  test("#68 names the address of a catalogue that fails, is no JSON, no list or empty", async () => {
    answer = { status: 500, body: "" };
    await rejects(pull("alpha"), /all-modules\.json: the server answered 500/);
    for (const [body, problem] of [
      ["<html>", /all-modules\.json: the catalogue is no JSON/],
      ["{}", /the catalogue is no list/],
      ["[]", /the catalogue has no module/],
    ] as const) {
      answer = { status: 200, body };
      await rejects(pull("alpha"), problem);
    }
  });
});
