import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "@jest/globals";
import { type ControlServer, serveControl } from "../local/control.ts";
import { WorldFolder } from "../local/state-files.ts";
import { FakeClock, startCluster, type TestCluster } from "../testing/index.ts";
import { dashboardCommand, directions } from "./dashboard.ts";
import { fakeIo } from "./testing.ts";

describe("kyma dashboard in a local world", () => {
  let folder: WorldFolder;
  let control: ControlServer;
  beforeAll(async () => {
    folder = new WorldFolder(await mkdtemp(join(tmpdir(), "kyma-dashboard-")));
    const status = async () => ({ addresses: { dashboard: "http://127.0.0.1:4711/" } });
    control = await serveControl({ status, stop: () => undefined }, "token");
    await folder.writeState({ pid: 1, startedAt: "2026-01-05T08:00:00Z", control: control.url, token: "token" });
  });
  afterAll(async () => {
    control.close();
    await rm(folder.path, { recursive: true });
  });

  async function run(...args: readonly string[]) {
    const io = fakeIo();
    const opened: string[] = [];
    const browser = async (url: string): Promise<boolean> =>
      opened.push(url) > 0 && !args.includes("--without-browser");
    const command = dashboardCommand(io, browser);
    const known = args.filter((arg) => arg !== "--without-browser");
    await command.parseAsync(["--data-dir", folder.path, ...known], { from: "user" });
    return { out: io.out(), err: io.err(), opened };
  }

  test("prints the address, and opens it when asked to", async () => {
    deepEqual(await run("--open"), { out: "http://127.0.0.1:4711/\n", err: "", opened: ["http://127.0.0.1:4711/"] });
  });

  test("opens nothing where nobody watches, or when told not to", async () => {
    deepEqual((await run()).opened, []);
    deepEqual((await run("--no-open")).opened, []);
  });

  test("says so when there is no browser", async () => {
    match((await run("--open", "--without-browser")).err, /no browser could be opened/);
  });
});

describe("kyma dashboard for a cluster", () => {
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await startCluster({ clock: new FakeClock() });
    await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kcp-system" } });
  });
  afterEach(() => cluster.stop());

  async function deployWith(...args: readonly string[]): Promise<void> {
    const labels = { app: "kyma-operator" };
    const containers = [{ name: "manager", image: "kyma-operators:0.1.0", args }];
    await cluster.apply({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "kyma-operator", namespace: "kcp-system" },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    });
  }
  const told = (flags: { kubeconfig?: string; context?: string } = {}) =>
    directions(cluster.client, { namespace: "kcp-system", ...flags }, new AbortController().signal);

  test("tells the command that leads to it", async () => {
    await deployWith("--leader-elect=false", "--dashboard-bind-address=127.0.0.1:8085");
    equal(
      await told({ context: "stage" }),
      "Run this, and leave it running:\n\n  kubectl --context stage --namespace kcp-system port-forward deployment/kyma-operator 8085\n\nThen open http://localhost:8085/\n",
    );
  });

  test("says how to switch it on where it is off", async () => {
    await rejects(told(), /no Deployment kyma-operator in namespace kcp-system/);
    await deployWith("--dashboard-bind-address=0");
    await rejects(told(), /serves no dashboard: run it with --dashboard-bind-address=127\.0\.0\.1:8085/);
  });
});
