import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "@jest/globals";
import { textOf } from "@kyma-operators/errors";
import { type AnyObject, createClient, transportFrom } from "@kyma-operators/kube";
import { formatYamlDocuments, parseYamlDocuments } from "@kyma-operators/yaml";
import { FakeClock, moduleObjects, patiently, startCluster, type TestCluster } from "../../testing/index.ts";
import { runCli } from "../run.ts";
import { systemFiles } from "../system-files.ts";
import { fakeIo } from "../testing.ts";
import { deployTo } from "./deploy.ts";
import { deployCommand, type Flags } from "./flags.ts";
import { DeployStage } from "./testing.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-deploy-"));
  const releases = ["alpha", "bravo", "charlie"].flatMap((name) =>
    moduleObjects(name, { regular: "1.0.0", fast: "2.0.0" }),
  );
  await systemFiles(folder).write("templates.yaml", formatYamlDocuments(releases));
});
afterAll(() => rm(folder, { recursive: true }));

let clock: FakeClock;
let cluster: TestCluster;
let stage: DeployStage;
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startCluster({ clock });
  stage = new DeployStage({ clock, cluster, patiently: (condition) => patiently(clock, condition) });
});
afterEach(() => cluster.stop());

const deploy = (...args: string[]) => stage.deploy(args, { files: systemFiles(folder) });
const withModules = (...args: string[]) => deploy("--template", "templates.yaml", ...args);
const modules = async () => (await stage.kyma())?.spec.modules?.map(({ name, channel = "" }) => `${name}@${channel}`);
const put = (name: string, text: string) => systemFiles(folder).write(name, text);

async function dryRun(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = fakeIo({ files: systemFiles(folder) });
  const code = await runCli(["deploy", "--dry-run", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

describe("kyma deploy", () => {
  test("without a flag gives an operator that is available and a Kyma without modules that is Ready", async () => {
    const { code, out, err } = await deploy();
    deepEqual([code, err], [0, ""]);
    match(out, /^- preflight .*\n(?:.*\n)*- CRDs .*\n(?:.*\n)*- operator .*\n- module templates .*\n- Kyma .*\n/);
    deepEqual(await modules(), []);
    const secret = (await cluster.list("v1", "Secret")).find(({ metadata }) => metadata.name === "kubeconfig-default");
    const { config = "" } = (secret?.["data"] ?? {}) as Record<string, string>;
    match(Buffer.from(config, "base64").toString(), /server: https:\/\/kubernetes\.default\.svc/);
  });

  test("#6 a second run changes nothing and says so", async () => {
    equal((await withModules("--module", "alpha")).code, 0);
    const versions = async () => {
      const kinds = [
        ["v1", "Namespace"],
        ["v1", "Secret"],
        ["v1", "ServiceAccount"],
        ["v1", "Service"],
        ["apps/v1", "Deployment"],
        ["rbac.authorization.k8s.io/v1", "Role"],
        ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
        ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
        ["operator.kyma-project.io/v1beta2", "ModuleTemplate"],
        ["operator.kyma-project.io/v1beta2", "ModuleReleaseMeta"],
        ["operator.kyma-project.io/v1beta2", "Kyma"],
      ] as const;
      const lists = await Promise.all(kinds.map(([apiVersion, kind]) => cluster.list(apiVersion, kind)));
      return lists.flat().map(({ kind, metadata }) => `${kind}/${metadata.name}@${metadata.resourceVersion}`);
    };
    const before = await versions();
    const again = await withModules("--module", "alpha");
    equal(again.code, 0);
    match(again.out, /this deployment was applied before: only what differs is written/);
    deepEqual(await versions(), before);
  });

  test("#36 (10-3) a module beside those of the Kyma is added, and nothing is dropped", async () => {
    equal((await withModules("--module", "alpha", "--module", "bravo")).code, 0);
    equal((await deploy("--module", "charlie@fast")).code, 0);
    deepEqual(await modules(), ["alpha@", "bravo@", "charlie@fast"]);
  });

  test("modules that a user has enabled in the runtime's own copy of the Kyma stay, and both get what is new", async () => {
    equal((await withModules("--module", "alpha")).code, 0);
    const kyma = await stage.kyma();
    await cluster.apply(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } },
      {
        apiVersion: "operator.kyma-project.io/v1beta2",
        kind: "Kyma",
        metadata: { name: "default", namespace: "kyma-system" },
        spec: { ...kyma?.spec, modules: [{ name: "alpha" }, { name: "bravo", channel: "fast" }] },
      },
    );
    equal((await deploy("--module", "charlie")).code, 0);
    const both = await cluster.list("operator.kyma-project.io/v1beta2", "Kyma");
    for (const { spec } of both as unknown as { spec: { modules: { name: string }[] } }[]) {
      deepEqual(
        spec.modules.map(({ name }) => name),
        ["alpha", "bravo", "charlie"],
      );
    }
    equal(both.length, 2);
  });

  test("(10-4) changes the channel of a module that is there, and prunes only when told to", async () => {
    equal((await withModules("--module", "alpha", "--module", "bravo")).code, 0);
    equal((await deploy("--module", "bravo@fast")).code, 0);
    deepEqual(await modules(), ["alpha@", "bravo@fast"]);
    equal((await deploy("--module", "bravo@1.0.0", "--prune-modules")).code, 0);
    deepEqual(await modules(), ["bravo@regular"]);
  });

  test("takes channels from the entry of a file, the flag's suffix, the file and the flag, in this order", async () => {
    const list = "apiVersion: cli.kyma-project.io/v1alpha1\nkind: ModuleList\n";
    await put("list.yaml", `${list}channel: fast\nmodules:\n- {name: alpha, channel: regular}\n- name: bravo\n`);
    equal((await withModules("-f", "list.yaml", "--module", "alpha@fast", "--channel", "regular")).code, 0);
    equal((await stage.kyma())?.spec.channel, "fast");
    deepEqual(await modules(), ["alpha@regular", "bravo@"]);
    equal((await deploy()).code, 0);
    equal((await stage.kyma())?.spec.channel, "fast");
  });

  test("(10-5) a wrong image ends with code 1 within 90 seconds and names the pull error", async () => {
    const patch = { "simulator.kyma-project.io/pod": "image-pull-error" };
    await put(
      "broken/kustomization.yaml",
      "resources: [all.yaml]\nimages: [{name: kyma-operators, newName: nowhere.example/none}]\n",
    );
    const objects = parseYamlDocuments((await dryRun()).out) as unknown as AnyObject[];
    const setup = objects.filter(({ kind }) => !["Kyma", "Secret"].includes(kind));
    for (const object of setup.filter(({ kind }) => kind === "Deployment")) {
      const { template } = object["spec"] as { template: { metadata: { annotations?: Record<string, string> } } };
      template.metadata.annotations = patch;
    }
    await put(
      "broken/all.yaml",
      formatYamlDocuments(setup.filter(({ metadata }) => !/wildcard|kyma-runtime/.test(metadata.name ?? ""))),
    );
    const startMs = clock.now();
    const { code, err } = await deploy("--kustomization", join(folder, "broken"));
    equal(code, 1);
    match(err, /^Deployment kcp-system\/kyma-operator: Pod kyma-operator-\S+: ImagePullBackOff: /);
    ok(clock.now() - startMs <= 90_000);
  });

  test("#37 a module that is too slow ends with code 3 and its name; #74 attaching later succeeds without a write", async () => {
    stage.state = { alpha: "Processing" };
    const slow = await withModules("--module", "alpha", "--timeout", "30s");
    equal(slow.code, 3);
    match(slow.err, /time is up: Kyma is Processing, alpha is Processing/);
    stage.state = "Ready";
    const writes = cluster.writes().length;
    const attached = await deploy("--attach");
    deepEqual([attached.code, attached.err], [0, ""]);
    match(attached.out, /modules: module alpha 1\.0\.0: Ready/);
    equal(cluster.writes().length, writes);
  });

  test("attaching to nothing says so", async () => {
    const { code, err } = await deploy("--attach");
    equal(code, 1);
    match(err, /holds no Deployment kyma-operator: run "kyma deploy"/);
  });

  test("(10-10) a module in Warning ends with code 2 and its name", async () => {
    stage.state = { alpha: "Warning" };
    const { code, err } = await withModules("--module", "alpha");
    equal(code, 2);
    match(err, /module alpha 1\.0\.0: Warning/);
  });

  test("resources of the list are applied once their module is Ready, and failures name each object", async () => {
    await put("extra/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-file, namespace: default}\n");
    await put(
      "extra/list.yaml",
      `apiVersion: cli.kyma-project.io/v1alpha1
kind: ModuleList
modules:
- name: alpha
  template: ../templates.yaml
  resources:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: inline, namespace: default}
  - file: ./cm.yaml
  - apiVersion: none.example.org/v1
    kind: Nothing
    metadata: {name: lost}
`,
    );
    stage.state = { alpha: "Processing" };
    let looks = 0;
    stage.meanwhile = async () => {
      const maps = await cluster.list("v1", "ConfigMap");
      const applied = maps.some(({ metadata }) => metadata.name === "inline");
      if (stage.state !== "Ready") equal(applied, false);
      if ((await stage.kyma())?.status !== undefined && ++looks > 5) stage.state = "Ready";
    };
    const { code, err } = await deploy("-f", "extra/list.yaml");
    equal(code, 1);
    match(err, /alpha: Nothing lost: /);
    const names = new Set((await cluster.list("v1", "ConfigMap")).map(({ metadata }) => metadata.name));
    ok(names.has("inline") && names.has("from-file"));
  });

  test("#30 #31 #32 (10-7) a managed runtime is refused unless forced", async () => {
    equal((await deploy()).code, 0);
    await cluster.client.delete({
      resource: await cluster.resource("apps/v1", "Deployment"),
      namespace: "kcp-system",
      name: "kyma-operator",
    });
    const kyma = await stage.kyma();
    await cluster.client.mergePatch(
      {
        resource: await cluster.resource("operator.kyma-project.io/v1beta2", "Kyma"),
        namespace: "kcp-system",
        name: "default",
      },
      { status: { ...kyma?.status, activeChannel: "regular" } },
      { subresource: "status", fieldManager: "lifecycle-manager" },
    );
    const refused = await deploy();
    equal(refused.code, 4);
    match(refused.err, /managed runtime.*--force/);
    equal((await deploy("--force")).code, 0);
  });

  test("#10 an older version is refused unless forced", async () => {
    equal((await deploy("--version", "1.4.0")).code, 0);
    const refused = await deploy("--version", "1.3.9");
    equal(refused.code, 1);
    match(refused.err, /version 1\.4\.0 is installed, 1\.3\.9 is older/);
    equal((await deploy("--version", "1.3.9", "--force")).code, 0);
    equal((await deploy("--version", "1.5.0")).code, 0);
  });

  test("an unknown module, channel or version is refused before the first write", async () => {
    for (const [module, problem] of [
      ["alpho", /did you mean "alpha"/],
      ["alpha@slow", /not in channel "slow": it is in regular, fast/],
      ["alpha@3.0.0", /no channel leads to version 3\.0\.0: there are 1\.0\.0\(regular\), 2\.0\.0\(fast\)/],
    ] as const) {
      const { code, err } = await withModules("--module", module);
      equal(code, 1);
      match(err, problem);
    }
    equal(cluster.writes().filter(({ resource }) => resource !== "selfsubjectaccessreviews").length, 0);
  });

  test("Ctrl-C ends with 130 and says how to come back", async () => {
    stage.state = { alpha: "Processing" };
    const abort = new AbortController();
    stage.meanwhile = async () => {
      if ((await stage.kyma())?.status !== undefined) abort.abort(new Error("Ctrl-C"));
    };
    const files = systemFiles(folder);
    const { code, err } = await stage.deploy(["--template", "templates.yaml", "-m", "alpha"], {
      files,
      signal: abort.signal,
    });
    equal(code, 130);
    match(err, /watch it with "kyma deploy --attach"/);
  });

  test("-o json gives one event per transition", async () => {
    const { out } = await deploy("-o", "json");
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { step: string; state: string });
    deepEqual(
      events.filter(({ state }) => state === "done").map(({ step }) => step),
      ["preflight", "CRDs", "operator", "module templates", "Kyma", "modules"],
    );
  });

  test("--diff says what would change and writes nothing", async () => {
    const before = await deploy("--diff");
    equal(before.code, 0);
    match(before.out, /^\+ Deployment kcp-system\/kyma-operator$/m);
    equal((await deploy()).code, 0);
    equal((await deploy("--diff")).out, "no change\n");
    match(
      (await deploy("--diff", "--version", "9.9.9")).out,
      /^~ Deployment kcp-system\/kyma-operator: spec\.template\.spec\.containers\[0\]\.image: "kyma-operators:0\.1\.0" -> "kyma-operators:9\.9\.9"$/m,
    );
  });
});

test("missing rights are named before the first write, verb by verb", async () => {
  const guarded = await startCluster({ clock, authorizationMode: "RBAC" });
  try {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "weak", namespace: "default" } };
    const rules = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["get", "create"] }];
    const apiGroup = "rbac.authorization.k8s.io";
    await guarded.apply(
      account,
      { apiVersion: `${apiGroup}/v1`, kind: "ClusterRole", metadata: { name: "weak" }, rules },
      {
        apiVersion: `${apiGroup}/v1`,
        kind: "ClusterRoleBinding",
        metadata: { name: "weak" },
        roleRef: { apiGroup, kind: "ClusterRole", name: "weak" },
        subjects: [{ kind: "ServiceAccount", name: "weak", namespace: "default" }],
      },
    );
    const resource = await guarded.resource("v1", "ServiceAccount");
    const { status } = await guarded.client.createSubresource<{ status: { token: string } }>(
      { resource, namespace: "default", name: "weak" },
      "token",
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    );
    const authorization = `Bearer ${status.token}`;
    const weak = createClient({
      clock,
      userAgent: "weak",
      transport: transportFrom((request) =>
        guarded.server.transport({ ...request, headers: { ...request.headers, authorization } }),
      ),
    });
    const io = fakeIo({ files: systemFiles(folder) });
    const run = deployCommand((flags: Flags) => deployTo(io, weak, flags));
    await rejects(run.parseAsync([], { from: "user" }), (error: unknown) => {
      const text = textOf(error);
      match(text, /^ {2}patch on namespaces$/m);
      match(text, /^ {2}get, create, patch on deployments\.apps in namespace kcp-system$/m);
      return true;
    });
  } finally {
    await guarded.stop();
  }
});

describe("kyma deploy --dry-run", () => {
  test("prints YAML and nothing else, without a cluster or a kubeconfig, the same each time", async () => {
    const first = await dryRun();
    deepEqual([first.code, first.err], [0, ""]);
    match(first.out, /^apiVersion: v1\nkind: Namespace\n/);
    equal((await dryRun()).out, first.out);
  });

  test("#38 the objects are those of a real run", async () => {
    const printed = parseYamlDocuments(
      (await dryRun("--template", "templates.yaml", "-m", "alpha")).out,
    ) as unknown as AnyObject[];
    equal((await withModules("--module", "alpha")).code, 0);
    for (const object of printed) {
      const live = (await cluster.list(object.apiVersion, object.kind)).find(
        ({ metadata }) => metadata.name === object.metadata.name && metadata.namespace === object.metadata.namespace,
      );
      ok(live !== undefined, `${object.kind} ${object.metadata.name ?? ""}`);
      const marks = { ...object.metadata.labels, ...object.metadata.annotations };
      const found = { ...live.metadata.labels, ...live.metadata.annotations };
      for (const [key, value] of Object.entries(marks)) equal(found[key], value, key);
    }
  });

  test("image, version, namespace and profile reach the operator; a port is no tag", async () => {
    const text = (
      await dryRun("--image", "host:5000/name", "--version", "1.2.3", "-n", "elsewhere", "--profile", "evaluation")
    ).out;
    const deployment = (parseYamlDocuments(text) as unknown as AnyObject[]).find(({ kind }) => kind === "Deployment");
    equal(deployment?.metadata.namespace, "elsewhere");
    match(JSON.stringify(deployment), /"image":"host:5000\/name:1\.2\.3"/);
    match(JSON.stringify(deployment), /"replicas":1/);
    match(JSON.stringify(deployment), /"--namespace=elsewhere"/);
    ok(!text.includes("namespace: kcp-system"));
  });

  test("a Kyma of a file is used with its own labels and modules", async () => {
    await put(
      "kyma.yaml",
      "apiVersion: operator.kyma-project.io/v1beta2\nkind: Kyma\nmetadata: {name: mine, labels: {a: b}}\nspec: {channel: fast, modules: [{name: bravo}]}\n",
    );
    const { out } = await dryRun("--kyma-cr", "kyma.yaml", "--template", "templates.yaml", "-m", "alpha");
    const kyma = (parseYamlDocuments(out) as unknown as AnyObject[]).at(-1);
    equal(kyma?.metadata.labels?.["a"], "b");
    deepEqual(kyma?.["spec"], { channel: "fast", modules: [{ name: "bravo" }, { name: "alpha" }] });
    match(out, /name: kubeconfig-mine/);
    await put("no-kyma.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    match((await dryRun("--kyma-cr", "no-kyma.yaml")).err, /expected one .* Kyma, found v1 ConfigMap/);
  });

  test("#33 #5 #35 wrong flags are refused with code 4, a failing address with its status", async () => {
    equal((await dryRun("--profile", "huge")).code, 4);
    equal((await dryRun("--timeout", "-5s")).code, 4);
    equal((await dryRun("--module", "a@b@c")).code, 4);
    equal((await dryRun("--value", "replicas=1")).code, 4);
    equal((await dryRun("--dry-run=elsewhere")).code, 4);
  });
});
