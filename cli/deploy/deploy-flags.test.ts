import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "@jest/globals";
import { type AnyObject, createClient, transportFrom } from "@kyma-operators/kube";
import { formatYamlDocuments, parseYaml, parseYamlDocuments } from "@kyma-operators/yaml";
import { createRegistryClient, parseReference, repositoryOf, writeTar } from "oras-js";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { type Registry, startRegistry } from "../../local/registry/registry.ts";
import { FakeClock, moduleObjects, patiently, startCluster, type TestCluster } from "../../testing/index.ts";
import { runCli } from "../run.ts";
import { systemFiles } from "../system-files.ts";
import { type FakeIoOptions, fakeIo } from "../testing.ts";
import { tlsSecret } from "./configuration.ts";
import { deployTo } from "./deploy.ts";
import { deployCommand } from "./flags.ts";
import { makeCertificate } from "./local-certificate.ts";
import { DeployStage } from "./testing.ts";

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.cert-manager.io}
spec:
  group: cert-manager.io
  scope: Namespaced
  names: {kind: Certificate, plural: certificates, singular: certificate, listKind: CertificateList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`;
const certManager = `${crd}---
apiVersion: v1
kind: Namespace
metadata: {name: cert-manager}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cert-manager-webhook, namespace: cert-manager}
spec:
  selector: {matchLabels: {app: webhook}}
  template: {metadata: {labels: {app: webhook}}, spec: {containers: [{name: webhook, image: "webhook:1"}]}}
`;

let folder = "";
let registry: Registry;
let site: Server;
let siteUrl = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-deploy-flags-"));
  registry = await startRegistry({});
  const setup = "resources: [cm.yaml]\n";
  const archive = gzipSync(
    writeTar([
      { path: "setup-main/config/kustomization.yaml", content: Buffer.from(setup) },
      {
        path: "setup-main/config/cm.yaml",
        content: Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fetched}\n"),
      },
    ]),
  );
  const pages: Readonly<Record<string, string | Uint8Array>> = {
    "/cert-manager.yaml": certManager,
    "/values.yaml": "demo: {fromUrl: true}\n",
    "/team/setup/archive/main.tar.gz": archive,
  };
  site = createServer(({ url = "" }, response) => {
    const page = pages[url];
    response.writeHead(page === undefined ? 404 : 200).end(page);
  });
  await new Promise<void>((resolve) => void site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await put("templates.yaml", formatYamlDocuments(moduleObjects("alpha", { regular: "1.0.0", fast: "2.0.0" })));
});
afterAll(async () => {
  site.close();
  await registry.stop();
  await rm(folder, { recursive: true });
});

let clock: FakeClock;
let cluster: TestCluster;
let stage: DeployStage;
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startCluster({ clock });
  stage = new DeployStage({ clock, cluster, patiently: (condition) => patiently(clock, condition) });
});
afterEach(() => cluster.stop());

const put = (name: string, text: string) => systemFiles(folder).write(name, text);
const deployAs = (options: FakeIoOptions, ...args: string[]) =>
  stage.deploy(args, { files: systemFiles(folder), ...options });
const deploy = (...args: string[]) => deployAs({}, ...args);

async function dryRun(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = { ...fakeIo({ files: systemFiles(folder) }), cwd: folder };
  const code = await runCli(["deploy", "--dry-run", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

async function planned(kind: string, ...args: string[]): Promise<readonly AnyObject[]> {
  const { code, out, err } = await dryRun(...args);
  deepEqual([code, err], [0, ""]);
  return (parseYamlDocuments(out) as AnyObject[]).filter((object) => object.kind === kind);
}

test("a dry run prints one list that kubectl takes when JSON is asked for", async () => {
  const { code, out } = await dryRun("-o", "json");
  equal(code, 0);
  const { apiVersion, kind, items } = JSON.parse(out) as AnyObject & { readonly items: readonly AnyObject[] };
  deepEqual([apiVersion, kind], ["v1", "List"]);
  deepEqual(items, parseYamlDocuments((await dryRun()).out));
});

const found = async (apiVersion: string, kind: string, name: string) =>
  (await cluster.list(apiVersion, kind).catch(() => [])).find(({ metadata }) => metadata.name === name);
const valuesIn = (secret: AnyObject | undefined) => {
  const data = (secret?.["data"] ?? {}) as Readonly<Record<string, string>>;
  return parseYaml(Buffer.from(data["values.yaml"] ?? "", "base64").toString());
};

describe("domain, certificate and values", () => {
  test("#3 #4 certificate and key come both or not at all, and reach the runtime with the domain", async () => {
    await put("tls.crt", "CRT");
    await put("tls.key", "KEY");
    for (const [args, problem] of [
      [["--tls-crt", "tls.crt"], /--tls-crt is of no use alone/],
      [["--tls-key", "tls.key"], /--tls-key is of no use alone/],
      [["--tls-crt", "gone.crt", "--tls-key", "tls.key"], /gone\.crt: no such file/],
    ] as const) {
      match((await dryRun(...args)).err, problem);
    }
    const flags = ["--domain", "a.example.org", "--tls-crt", "tls.crt", "--tls-key", "tls.key"];
    const secrets = await planned("Secret", ...flags);
    const tls = secrets.find(({ metadata }) => metadata.name === "kyma-runtime-tls");
    deepEqual(tls?.["data"], { "tls.crt": "Q1JU", "tls.key": "S0VZ" });
    const [config] = await planned("ConfigMap", ...flags);
    deepEqual([config?.metadata.name, config?.["data"]], ["kyma-runtime", { domain: "a.example.org" }]);
    const [kyma] = await planned("Kyma", ...flags);
    equal(kyma?.metadata.annotations?.["skr-domain"], "a.example.org");
  });

  test("#15 values of the list, files and flags reach one Secret beside the Kyma, the last word wins", async () => {
    await put(
      "list.yaml",
      "apiVersion: cli.kyma-project.io/v1alpha1\nkind: ModuleList\nvalues: {global: {tier: 1}}\nmodules:\n- name: demo\n  template: demo.yaml\n  values: {replicas: 1, keep: x}\n",
    );
    await put("demo.yaml", formatYamlDocuments(moduleObjects("demo", { regular: "1.0.0" })));
    await put("values.json", '{"demo": {"replicas": 2}}');
    const flags = ["-f", "list.yaml", "--values-file", "values.json", "--values-file", `${siteUrl}/values.yaml`];
    const secrets = await planned("Secret", ...flags, "--value", "global.tier=3");
    const secret = secrets.find(({ metadata }) => metadata.name === "kyma-values-default");
    deepEqual(valuesIn(secret), { demo: { replicas: 2, keep: "x", fromUrl: true }, global: { tier: 3 } });
  });

  test("#14 #35 files of other kinds, missing ones and failing addresses are named", async () => {
    equal((await dryRun("--values-file", "values.txt")).code, 4);
    match((await dryRun("--values-file", "gone.yaml")).err, /gone\.yaml: no such file/);
    match((await dryRun("--values-file", `${siteUrl}/gone.yaml`)).err, /gone\.yaml: the server answered 404/);
  });

  test("k3d gets the local domain, a certificate of its own, and names that lead to the gateway", async () => {
    await cluster.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "k3d-demo-server-0" } });
    equal((await deploy()).code, 0);
    const secret = await found("v1", "Secret", "kyma-runtime-tls");
    const data = (secret?.["data"] ?? {}) as Record<string, string>;
    match(Buffer.from(data["tls.crt"] ?? "", "base64").toString(), /^-----BEGIN CERTIFICATE-----/);
    const dns = await found("v1", "ConfigMap", "coredns-custom");
    match(JSON.stringify(dns?.["data"]), /local.*kyma.*dev istio-ingressgateway/);
    ok((await found("rbac.authorization.k8s.io/v1", "ClusterRole", "kyma-cli-provisioned-wildcard")) !== undefined);
    equal((await deploy()).code, 0);
    equal(
      (await found("v1", "Secret", "kyma-runtime-tls"))?.metadata.resourceVersion,
      secret?.metadata.resourceVersion,
    );
  });
});

test("a certificate of ours that ends within a month is renewed, one of somebody else is not", async () => {
  await cluster.apply(
    { apiVersion: "v1", kind: "Node", metadata: { name: "k3d-demo-server-0" } },
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } },
  );
  const certificate = async () => {
    const secret = await found("v1", "Secret", "kyma-runtime-tls");
    const data = (secret?.["data"] ?? {}) as Record<string, string>;
    return new X509Certificate(Buffer.from(data["tls.crt"] ?? "", "base64"));
  };
  const madeMs = clock.now() - 340 * 24 * 3600 * 1000;
  const endMs = madeMs + 365 * 24 * 3600 * 1000;
  const secrets = await cluster.resource("v1", "Secret");
  for (const [domain, renewed] of [
    ["own.example.org", false],
    ["local.kyma.dev", true],
  ] as const) {
    const secret = tlsSecret(await makeCertificate(domain, madeMs));
    await cluster.client.apply(secrets, secret, { fieldManager: "kyma-cli" });
    equal((await deploy()).code, 0);
    const { subject, validTo } = await certificate();
    equal(subject, `CN=${domain}`);
    equal(Date.parse(validTo) > endMs, renewed, domain);
  }
});

test("who may not look gets that as the error, not what can't be found out without looking", async () => {
  const guarded = await startCluster({ clock, authorizationMode: "RBAC" });
  try {
    const transport = transportFrom(guarded.server.transportFor({ user: "nobody" }));
    const weak = createClient({ transport, clock, userAgent: "kyma" });
    const run = deployCommand((flags) => deployTo(fakeIo({ files: systemFiles(folder) }), weak, flags));
    const flags = ["--registry", `${registry.url}/modules`, "-m", "only-on-the-cluster"];
    await rejects(run.parseAsync(flags, { from: "user" }), /forbidden/i);
  } finally {
    await guarded.stop();
  }
});

describe("what is there already", () => {
  test("#7 #8 where somebody can answer, a managed runtime is asked about; no stops, yes goes on", async () => {
    equal((await deploy()).code, 0);
    const deployment = { resource: await cluster.resource("apps/v1", "Deployment"), namespace: "kcp-system" };
    await cluster.client.delete({ ...deployment, name: "kyma-operator" });
    const kyma = {
      resource: await cluster.resource("operator.kyma-project.io/v1beta2", "Kyma"),
      namespace: "kcp-system",
    };
    await cluster.client.mergePatch(
      { ...kyma, name: "default" },
      { status: { activeChannel: "fast" } },
      { subresource: "status", fieldManager: "lifecycle-manager" },
    );
    const refused = await deployAs({ answer: false });
    equal(refused.code, 4);
    match(refused.err, /managed runtime.*--force/);
    equal((await deployAs({ answer: true })).code, 0);
  });

  test("#9 an installed version that is none blocks nothing", async () => {
    equal((await deploy("--version", "main")).code, 0);
    equal((await deploy("--version", "0.1.0")).code, 0);
  });

  test("#28 manifests without the CRD of Kymas are refused before the first write, unless the cluster has it", async () => {
    await put("bare/kustomization.yaml", "resources: [cm.yaml]\n");
    await put("bare/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bare}\n");
    const { code, err } = await deploy("--kustomization", join(folder, "bare"));
    equal(code, 1);
    match(err, /bare: the CRD of Kymas is neither there nor on the cluster/);
    equal(await found("v1", "ConfigMap", "bare"), undefined);
  });

  test("a CRD that forgets a version in which objects are stored is refused before the first write", async () => {
    await put("old.yaml", formatYamlDocuments((await planned("CustomResourceDefinition")).map(withFormerVersion)));
    for (const crd of parseYamlDocuments(await systemFiles(folder).readText("old.yaml")) as AnyObject[]) {
      await cluster.apply(crd);
    }
    const { code, err } = await deploy();
    equal(code, 1);
    match(err, /the cluster stores objects in v1alpha9, the new CRD knows v1/);
    equal(await found("v1", "Namespace", "kcp-system"), undefined);
  });
});

/** The CRD as a release had it that stored objects in a version of its own. */
function withFormerVersion(crd: AnyObject): AnyObject {
  const spec = (crd["spec"] ?? {}) as { versions: { name: string; storage: boolean }[] };
  const [first] = spec.versions;
  return { ...crd, spec: { ...spec, versions: [{ ...first, name: "v1alpha9", storage: true }] } };
}

describe("rights of modules", () => {
  const wildcard = () => found("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "lifecycle-manager-wildcard");

  test("are granted on a shared cluster only when somebody says so, once", async () => {
    equal((await deploy()).code, 0);
    equal(await wildcard(), undefined);
    equal((await deploy("--wildcard-permissions")).code, 0);
    const granted = await wildcard();
    ok(granted !== undefined);
    equal((await deploy()).code, 0);
    equal((await wildcard())?.metadata.resourceVersion, granted.metadata.resourceVersion);
  });

  test("are asked for where somebody can answer", async () => {
    const { code } = await deployAs({ answer: true }, "--timeout", "60s");
    equal(code, 0);
    ok((await wildcard()) !== undefined);
  });
});

describe("the setup", () => {
  test("serves the web page when asked to, and says how to reach it", async () => {
    const { code, out } = await deploy("--open-dashboard");
    equal(code, 0);
    match(
      out,
      /kubectl --namespace kcp-system port-forward deployment\/kyma-operator 8085\n\nThen open http:\/\/localhost:8085\//,
    );
  });

  test("#1 #2 #27 profile, pull secret and build reach the Deployment", async () => {
    const deployments = await planned("Deployment", "--source", "PR-12", "--image-pull-secret", "regcred");
    match(JSON.stringify(deployments), /"image":"kyma-operators:PR-12".*"imagePullSecrets":\[{"name":"regcred"}\]/);
    equal((await dryRun("--profile", "production")).code, 0);
    equal((await dryRun("--profile", "tiny")).code, 4);
    match((await dryRun("--source", "main", "--version", "1.0.0")).err, /both choose a build/);
  });

  test("flags for the built-in manifests are refused with others", async () => {
    await put("config/local/kustomization.yaml", "resources: [cm.yaml]\n");
    await put("config/local/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n");
    for (const own of [
      ["--source", "local"],
      ["--kustomization", join(folder, "config/local")],
    ]) {
      equal((await dryRun(...own)).code, 0);
      for (const flag of [
        ["--image-pull-secret", "regcred"],
        ["--profile", "evaluation"],
        ["--registry-secret", "registry"],
        ["--open-dashboard"],
      ]) {
        const { code, err } = await dryRun(...own, ...flag);
        equal(code, 4, `${own.join(" ")} ${flag.join(" ")}`);
        ok(err.includes(`${flag[0]} changes the built-in manifests only`), err);
      }
    }
  });

  test("manifests may come from a repository of a git server", async () => {
    const maps = await planned("ConfigMap", "--kustomization", `${siteUrl}/team/setup/config`);
    deepEqual(
      maps.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      ["kcp-system/fetched"],
    );
    match((await dryRun("--kustomization", `${siteUrl}/team/none`)).err, /main\.tar\.gz: the server answered 404/);
  });

  test("#34 (10-11) cert-manager is set up where there is none, and left alone where there is one", async () => {
    const address = `${siteUrl}/cert-manager.yaml`;
    const plan = await deploy("--diff", "--cert-manager", address);
    match(plan.out, /^\+ CustomResourceDefinition certificates\.cert-manager\.io$/m);
    match(plan.out, /^\+ Deployment cert-manager\/cert-manager-webhook$/m);
    match((await dryRun("--cert-manager", address)).err, /^cert-manager is not printed: /);
    equal(await found("apps/v1", "Deployment", "cert-manager-webhook"), undefined);
    equal((await deploy("--cert-manager", address)).code, 0);
    equal((await deploy("--diff", "--cert-manager", `${siteUrl}/never-asked.yaml`)).out, "no change\n");
    const first = await found("apps/v1", "Deployment", "cert-manager-webhook");
    ok(first !== undefined);
    const { code, out } = await deploy("--cert-manager", `${siteUrl}/never-asked.yaml`);
    equal(code, 0);
    match(out, /cert-manager: it is there already and is left alone/);
  });

  test("cert-manager that a former run has begun is set up to the end, the CRD of somebody else is left alone", async () => {
    const begun = parseYamlDocuments(crd)[0] as AnyObject;
    const crds = await cluster.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    await cluster.client.apply(crds, begun, { fieldManager: "kyma-cli" });
    equal((await deploy("--cert-manager", `${siteUrl}/cert-manager.yaml`)).code, 0);
    const webhook = await found("apps/v1", "Deployment", "cert-manager-webhook");
    ok(webhook !== undefined);
    await cluster.client.delete({
      resource: await cluster.resource("apps/v1", "Deployment"),
      namespace: "cert-manager",
      name: "cert-manager-webhook",
    });
    await cluster.client.apply(crds, begun, { fieldManager: "helm", force: true });
    const { code, out } = await deploy("--cert-manager", `${siteUrl}/never-asked.yaml`);
    equal(code, 0);
    match(out, /cert-manager: it is there already and is left alone/);
    equal(await found("apps/v1", "Deployment", "cert-manager-webhook"), undefined);
  });
});

describe("what a run leaves", () => {
  test("an atomic run that fails takes back what it wrote, and gives the error of the failure", async () => {
    equal((await deploy("--version", "1.0.0")).code, 0);
    const before = await found("apps/v1", "Deployment", "kyma-operator");
    stage.state = "Processing";
    const flags = ["--template", "templates.yaml", "-m", "alpha", "--version", "1.1.0", "--timeout", "20s"];
    const failed = await deploy("--atomic", ...flags);
    equal(failed.code, 3);
    match(failed.err, /time is up: .*alpha/);
    const after = await found("apps/v1", "Deployment", "kyma-operator");
    deepEqual(after?.["spec"], before?.["spec"]);
    deepEqual((await stage.kyma())?.spec.modules, []);
    equal(await found("operator.kyma-project.io/v1beta2", "ModuleTemplate", "alpha-1.0.0"), undefined);
  });

  test("an atomic run that fails takes back the runtime's own copy of the Kyma too, and leaves one that came meanwhile", async () => {
    equal((await deploy("--template", "templates.yaml", "-m", "alpha")).code, 0);
    const copy = {
      apiVersion: "operator.kyma-project.io/v1beta2",
      kind: "Kyma",
      metadata: { name: "default", namespace: "kyma-system" },
      spec: (await stage.kyma())?.spec,
    };
    const modulesOf = async () =>
      ((await cluster.list("operator.kyma-project.io/v1beta2", "Kyma")) as unknown as Kyma[]).map(
        ({ metadata, spec }) => [metadata.namespace, ...(spec.modules ?? []).map(({ channel }) => channel)].join(" "),
      );
    const failing = ["--atomic", "--timeout", "20s", "-m", "alpha@fast"];
    stage.state = "Processing";
    await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } });
    stage.meanwhile = async () => {
      if ((await modulesOf()).includes("kcp-system fast")) await cluster.apply(copy);
    };
    equal((await deploy(...failing)).code, 3);
    deepEqual(await modulesOf(), ["kcp-system ", "kyma-system "]);
    stage.meanwhile = async () => undefined;
    equal((await deploy(...failing)).code, 3);
    deepEqual(await modulesOf(), ["kcp-system ", "kyma-system "]);
  });

  test("an atomic run on k3d takes back the certificate too", async () => {
    await cluster.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "k3d-demo-server-0" } });
    stage.state = "Processing";
    const flags = ["--template", "templates.yaml", "-m", "alpha", "--timeout", "20s"];
    await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kyma-system" } });
    let wasThere = false;
    stage.meanwhile = async () => {
      wasThere ||= (await found("v1", "Secret", "kyma-runtime-tls")) !== undefined;
    };
    equal((await deploy("--atomic", ...flags)).code, 3);
    deepEqual([wasThere, await found("v1", "Secret", "kyma-runtime-tls")], [true, undefined]);
  });

  test("a run that can't take everything back says what is left, and gives the error of the failure", async () => {
    const stuck = moduleObjects("stuck", { regular: "1.0.0" }).map((object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: ["example.org/stay"] },
    }));
    await put("stuck.yaml", formatYamlDocuments(stuck));
    stage.state = "Processing";
    const failed = await deploy("--atomic", "--template", "stuck.yaml", "-m", "stuck", "--timeout", "20s");
    equal(failed.code, 3);
    match(failed.err, /time is up: .*stuck is Processing/);
    match(failed.notes, /^not all was taken back: .*ModuleTemplate kcp-system\/stuck-1\.0\.0: time is up: /);
    equal(await found("apps/v1", "Deployment", "kyma-operator"), undefined);
  });

  test("the server tries every object in a dry run and keeps none", async () => {
    const { code, out, notes } = await deploy("--dry-run=server");
    deepEqual([code, notes], [0, ""]);
    match(out, /^Namespace kcp-system created \(server dry run\)$/m);
    match(out, /^Deployment kcp-system\/kyma-operator not tried: its kind or namespace is not there yet/m);
    equal(await found("v1", "Namespace", "kcp-system"), undefined);
    equal((await deploy()).code, 0);
    const again = await deploy("--dry-run=server");
    match(again.out, /^Deployment kcp-system\/kyma-operator unchanged \(server dry run\)$/m);
    equal(again.notes, "");
  });

  test("a Kyma that another tool applies is not changed behind its back", async () => {
    equal((await deploy()).code, 0);
    const kyma = await cluster.resource("operator.kyma-project.io/v1beta2", "Kyma");
    const applied = {
      apiVersion: "operator.kyma-project.io/v1beta2",
      kind: "Kyma",
      metadata: { name: "default", namespace: "kcp-system" },
      spec: { channel: "regular", modules: [{ name: "alpha", channel: "regular" }] },
    };
    await cluster.client.apply(kyma, applied, { fieldManager: "flux", force: true });
    const flags = ["--template", "templates.yaml"];
    const refused = await deploy(...flags, "-m", "alpha@fast");
    equal(refused.code, 1);
    match(refused.err, /Kyma kcp-system\/default: module alpha is managed by flux: .*--force-conflicts/);
    match((await deploy(...flags, "-c", "fast")).err, /spec\.channel is managed by flux/);
    equal((await deploy(...flags, "-m", "alpha@fast", "--force-conflicts")).code, 0);
  });

  test("quiet runs say nothing, verbose ones name each object", async () => {
    equal((await deploy("--quiet")).out, "");
    match((await deploy("--verbose")).out, /CRDs: CustomResourceDefinition kymas\.operator\.kyma-project\.io applied/);
  });
});

describe("modules of a registry", () => {
  const config = (version: string) =>
    `name: example.org/module/demo\nversion: ${version}\nchannel: regular\nmanifest: manifest.yaml\nmanager: {group: apps, version: v1, kind: Deployment, name: demo}\n`;

  async function create(version: string): Promise<void> {
    await put("manifest.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: demo}\n");
    await put("config.yaml", config(version));
    const io = { ...fakeIo({ files: systemFiles(folder) }), cwd: folder };
    const flags = ["-c", "config.yaml", "-o", `made-${version}.yaml`, "-r", `${registry.url}/modules`];
    equal(await runCli(["module", "create", ...flags], io), 0, io.err());
  }

  test("get their templates on the fly, in the highest version or the one that is asked for, and follow newer ones", async () => {
    await create("1.0.0");
    await create("1.1.0-rc-1");
    const flags = ["--registry", `${registry.url}/modules`];
    const module = "example.org/module/demo";
    const first = await deploy(...flags, "-m", module);
    deepEqual([first.code, first.err], [0, ""]);
    const made = parseYamlDocuments(await systemFiles(folder).readText("made-1.0.0.yaml")) as AnyObject[];
    const template = await found("operator.kyma-project.io/v1beta2", "ModuleTemplate", "demo-1.0.0");
    deepEqual(template?.["spec"], made[0]?.["spec"]);
    await create("1.2.0");
    equal((await deploy(...flags, "-m", "demo")).code, 0);
    equal((await deploy(...flags, "-m", "demo@fast")).code, 0);
    equal((await deploy(...flags, "-m", "demo@1.1.0-rc-1")).code, 0);
    const release = await found("operator.kyma-project.io/v1beta2", "ModuleReleaseMeta", "demo");
    deepEqual(((release?.["spec"] ?? {}) as { channels?: unknown }).channels, [
      { channel: "fast", version: "1.2.0" },
      { channel: "regular", version: "1.1.0-rc-1" },
    ]);
  });

  test("are unknown when the registry has none of them", async () => {
    const { code, err } = await deploy("--registry", `${registry.url}/modules`, "-m", "nothing");
    equal(code, 1);
    match(err, /unknown module "nothing": \S+ has no component kyma-project\.io\/module\/nothing/);
  });

  test("templates may lie in a registry as an artifact", async () => {
    const client = createRegistryClient({ plainHttp: "loopback" });
    const reference = parseReference(`${registry.url}/templates:1`);
    const text = Buffer.from(await systemFiles(folder).readText("templates.yaml"));
    const layer = await client.pushBlob(repositoryOf(reference), text);
    const config = await client.pushBlob(repositoryOf(reference), Buffer.from("{}"));
    const manifest = {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: { mediaType: "application/vnd.oci.empty.v1+json", digest: config.digest, size: config.size },
      layers: [{ mediaType: "application/yaml", digest: layer.digest, size: layer.size }],
    };
    await client.pushManifest(reference, Buffer.from(JSON.stringify(manifest)));
    await client.close();
    const source = `oci://${registry.host}/templates:1`;
    equal((await planned("ModuleTemplate", "--template", source, "-m", "alpha")).length, 2);
    match((await dryRun("--template", `oci://${registry.host}/none:1`)).err, /none:1/);
  });
});
