import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, test } from "@jest/globals";
import { systemClock } from "@kyma-operators/clock";
import { FakeClock } from "../../testing/index.ts";
import type { ClusterAccess } from "./access.ts";
import { inClusterAccess } from "./in-cluster-files.ts";
import { loadKubeconfig } from "./kubeconfig-files.ts";
import { microTimeText, parseTime, timeText } from "./system-time.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function tokenOf({ token }: ClusterAccess): Promise<string | undefined> {
  const current = typeof token === "function" ? await token() : token;
  return current?.reveal();
}

describe("inClusterAccess", () => {
  const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };

  test("reads what the kubelet mounts, and the token again each minute", async () => {
    const clock = new FakeClock();
    await writeFile(join(folder, "token"), "first\n");
    await writeFile(join(folder, "ca.crt"), "ca");
    await writeFile(join(folder, "namespace"), "kcp-system");
    const access = await inClusterAccess({ clock, env, mount: folder });
    equal(access.server, "https://[fd00::1]:443");
    equal(access.namespace, "kcp-system");
    await writeFile(join(folder, "token"), "second");
    equal(await tokenOf(access), "first");
    await clock.advance(60_001);
    equal(await tokenOf(access), "second");
    await rm(join(folder, "token"));
    await clock.advance(60_001);
    equal(await tokenOf(access), "second");
  });

  test("reads the token again after the clock was set back", async () => {
    const clock = new FakeClock();
    const mount = await mkdtemp(join(folder, "set-back-"));
    for (const file of ["token", "ca.crt"]) await writeFile(join(mount, file), "first");
    const access = await inClusterAccess({ clock, env, mount });
    await writeFile(join(mount, "token"), "second");
    clock.jump(-3_600_000);
    await clock.advance(60_001);
    equal(await tokenOf(access), "second");
  });

  test("says what is missing outside a Pod", async () => {
    const clock = new FakeClock();
    await rejects(inClusterAccess({ clock, env: {} }), {
      code: "KUBE_NOT_IN_CLUSTER",
      message: /KUBERNETES_SERVICE_HOST/,
    });
    const mount = join(folder, "nothing");
    await rejects(inClusterAccess({ clock, env, mount }), { code: "KUBE_NOT_IN_CLUSTER", message: /can't read/ });
  });
});

describe("loadKubeconfig", () => {
  const kubeconfig = (user: object, cluster = {}): string =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "one",
      contexts: [
        { name: "one", context: { cluster: "c", user: "u", namespace: "ns" } },
        { name: "broken", context: { cluster: "gone", user: "u" } },
      ],
      clusters: [{ name: "c", cluster: { server: "https://api.example.com", ...cluster } }],
      users: [{ name: "u", user }],
    });

  test("takes the files and programs that a person's own kubeconfig names", async () => {
    const path = join(folder, "kubeconfig");
    const clock = new FakeClock();
    await writeFile(
      join(folder, "script.sh"),
      `#!/bin/sh\necho '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"from-a-program"}}'\n`,
      { mode: 0o755 },
    );
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: join(folder, "script.sh"),
      interactiveMode: "Never",
    };
    await writeFile(path, kubeconfig({ exec }, { "insecure-skip-tls-verify": true }));
    const access = await loadKubeconfig({ path, clock });
    equal(access.server, "https://api.example.com");
    equal(access.namespace, "ns");
    equal(access.insecureSkipTlsVerify, true);
    equal(await tokenOf(access), "from-a-program");

    await writeFile(join(folder, "ca.pem"), "a certificate");
    await writeFile(path, kubeconfig({ token: "plain" }, { "certificate-authority": "ca.pem" }));
    const relative = await loadKubeconfig({ path, clock });
    equal(relative.ca, "a certificate");
    equal(await tokenOf(relative), "plain");
  });

  test("a login program that fails is told by name, and what it printed is not", async () => {
    const path = join(folder, "kubeconfig");
    const program = join(folder, "login.sh");
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: program, interactiveMode: "Never" };
    const answers: readonly [string, RegExp][] = [
      ["echo hunter2", /the login program .*login\.sh printed no ExecCredential with a token or a certificate$/],
      ["echo null", /printed no ExecCredential with a token or a certificate$/],
      ['echo \'{"token":"hunter2"}\'', /printed no ExecCredential with a token or a certificate$/],
      ["echo; echo Bearer hunter2hunter2 is expired >&2; exit 1", /Bearer \[redacted\] is expired$/],
      ["exit 3", /the login program .*login\.sh failed without a word$/],
    ];
    await writeFile(path, kubeconfig({ exec }));
    for (const [script, message] of answers) {
      await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      await rejects(loadKubeconfig({ path, clock: new FakeClock() }), (error: { code?: string; message: string }) => {
        equal(error.code, "KUBE_KUBECONFIG");
        match(error.message, message);
        equal(error.message.includes("hunter2"), false, error.message);
        return true;
      });
    }
    await writeFile(path, kubeconfig({ exec: { ...exec, command: "kyma-no-such-login" } }));
    const message = /kubeconfig: the login program kyma-no-such-login can't be started \(ENOENT\): is it installed\?$/;
    await rejects(loadKubeconfig({ path, clock: new FakeClock() }), { code: "KUBE_KUBECONFIG", message });
  });

  test("a login that fails without a program is told as such", async () => {
    const path = join(folder, "kubeconfig");
    const provider = { "client-id": "c", "refresh-token": "hunter2", "idp-issuer-url": "http://127.0.0.1:1" };
    const withIdToken = (token: string): string =>
      kubeconfig({ "auth-provider": { name: "oidc", config: { ...provider, "id-token": token } } });
    const expired = [{}, { exp: 1 }].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
    for (const [token, message] of [
      [`${expired.join(".")}.signature`, /kubeconfig: the login failed: only requests to HTTPS are allowed/],
      [`${Buffer.from("no JSON").toString("base64url")}.b.c`, /kubeconfig: the login failed: .*JSON/],
    ] as const) {
      await writeFile(path, withIdToken(token));
      await rejects(loadKubeconfig({ path, clock: new FakeClock() }), (error: { code?: string; message: string }) => {
        equal(error.code, "KUBE_KUBECONFIG");
        match(error.message, message);
        equal(/hunter2|login program/.test(error.message), false, error.message);
        return true;
      });
    }
  });

  test("a login program that fails later fails the request with the same words", async () => {
    const path = join(folder, "kubeconfig");
    const program = join(folder, "later.sh");
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: program, interactiveMode: "Never" };
    const status = { token: "early", expirationTimestamp: "2020-01-01T00:00:00Z" };
    const credential = JSON.stringify({ apiVersion: exec.apiVersion, kind: "ExecCredential", status });
    await writeFile(program, `#!/bin/sh\necho '${credential}'\n`, { mode: 0o755 });
    await writeFile(path, kubeconfig({ exec }));
    const clock = new FakeClock();
    const access = await loadKubeconfig({ path, clock });
    equal(await tokenOf(access), "early");
    await writeFile(program, "#!/bin/sh\necho hunter2\n", { mode: 0o755 });
    await clock.advance(60_001);
    const message = /printed no ExecCredential with a token or a certificate$/;
    await rejects(tokenOf(access), { code: "KUBE_KUBECONFIG", message });
  });

  test("refuses what it would otherwise leave out: another identity, a proxy", async () => {
    const path = join(folder, "kubeconfig");
    const refusals: readonly [string, RegExp][] = [
      [kubeconfig({ token: "t", as: "somebody" }), /kubeconfig: impersonation \(as\) is not supported/],
      [kubeconfig({ username: "u", password: "p" }), /kubeconfig: user and password are not supported/],
      [kubeconfig({ token: "t" }, { "proxy-url": "http://proxy:3128" }), /kubeconfig: proxy-url is not supported/],
    ];
    for (const [text, message] of refusals) {
      await writeFile(path, text);
      await rejects(loadKubeconfig({ path, clock: new FakeClock() }), { code: "KUBE_KUBECONFIG", message });
    }
  });

  test("names the file when something is wrong with it", async () => {
    const clock = new FakeClock();
    const path = join(folder, "kubeconfig");
    const missing = join(folder, "missing");
    await rejects(loadKubeconfig({ path: missing, clock }), {
      code: "KUBE_KUBECONFIG",
      message: /missing: .*no such file/,
    });
    await writeFile(path, kubeconfig({ token: "t" }));
    await rejects(loadKubeconfig({ path, context: "broken", clock }), {
      code: "KUBE_KUBECONFIG",
      message: /names no cluster/,
    });
    await rejects(loadKubeconfig({ path, context: "unknown", clock }), { code: "KUBE_KUBECONFIG" });
  });
});

describe("KUBECONFIG with several files", () => {
  const before = process.env["KUBECONFIG"];
  afterEach(() => {
    if (before === undefined) delete process.env["KUBECONFIG"];
    else process.env["KUBECONFIG"] = before;
  });

  const clock = new FakeClock();
  const list = (...names: readonly string[]): void => {
    process.env["KUBECONFIG"] = names.map((name) => (name === "" ? "" : join(folder, name))).join(delimiter);
  };
  const kubeconfig = (server: string, name: string): string =>
    JSON.stringify({
      "current-context": name,
      contexts: [{ name, context: { cluster: "same", user: "same" } }],
      clusters: [{ name: "same", cluster: { server } }],
      users: [{ name: "same", user: { token: server } }],
    });

  test("is merged as kubectl does it: the first one that says something wins, and missing files are passed over", async () => {
    await writeFile(join(folder, "a"), kubeconfig("https://a.example.com", "first"));
    await writeFile(join(folder, "b"), kubeconfig("https://b.example.com", "second"));
    list("missing", "a", "", "b");
    const access = await loadKubeconfig({ clock });
    deepEqual([access.server, await tokenOf(access)], ["https://a.example.com", "https://a.example.com"]);
    equal((await loadKubeconfig({ clock, context: "second" })).server, "https://a.example.com");
  });

  test("names what it looked for when nothing is there, and the file that is broken", async () => {
    list("missing", "gone");
    await rejects(loadKubeconfig({ clock }), { message: /^kubeconfig .*missing:.*gone: no such file$/ });
    await writeFile(join(folder, "broken"), "[");
    list("a", "broken");
    await rejects(loadKubeconfig({ clock }), { message: /a:.*broken: .*broken: / });
  });
});

describe("time", () => {
  test("texts as the API wants them", () => {
    const moment = Date.UTC(2026, 0, 5, 8, 0, 0, 7);
    equal(timeText(moment), "2026-01-05T08:00:00Z");
    equal(microTimeText(moment), "2026-01-05T08:00:00.007000Z");
    equal(parseTime("2026-01-05T08:00:00.007000Z"), moment);
    equal(parseTime("2026-01-05T09:00:00+01:00"), moment - 7);
    for (const odd of [undefined, "", "yesterday", "2026-01-05", "2026-13-05T08:00:00Z"])
      equal(parseTime(odd), undefined);
  });

  test("the clock of the machine sleeps, wakes and can be stopped", async () => {
    const before = systemClock.now();
    await systemClock.sleep(15);
    equal(systemClock.now() - before >= 14, true);
    const stop = new AbortController();
    const sleeping = systemClock.sleep(60_000, stop.signal);
    stop.abort(new Error("enough"));
    await rejects(sleeping, /enough/);
    await rejects(systemClock.sleep(1, stop.signal), /enough/);
    let calls = 0;
    systemClock.after(5, () => (calls += 1));
    systemClock.after(5, () => (calls += 10))();
    await systemClock.sleep(30);
    equal(calls, 1);
  });
});
