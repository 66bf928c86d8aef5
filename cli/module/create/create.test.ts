import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import { getComponentVersion, parsePublicKey, verifySignature } from "@kyma-operators/ocm";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { createRegistryClient } from "oras-js";
import type { ModuleReleaseMeta } from "../../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../../apis/operator/module-template.ts";
import { type Registry, startRegistry } from "../../../local/registry/registry.ts";
import { readContent } from "../../../modules/descriptor.ts";
import { runCli } from "../../run.ts";
import { systemFiles } from "../../system-files.ts";
import { fakeIo } from "../../testing.ts";
import { documentsIn } from "./source.ts";

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: demos.operator.example.org}
spec:
  group: operator.example.org
  scope: Namespaced
  names: {kind: Demo, plural: demos}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, required: [size], properties: {size: {type: integer, maximum: 5}}}
`;
const manifest = `${crd}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: demo}\ndata: {text: "a\\n---\\nb"}\n`;
const config = `
name: example.org/module/demo
version: 1.4.2
repository: https://example.org/demo
documentation: https://example.org/docs
icons: [{name: logo, link: https://example.org/logo.svg}]
manifest: manifest.yaml
defaultCR: default.yaml
beta: true
labels: {team: "yes"}
manager: {group: apps, version: v1, kind: Deployment, name: demo-manager, namespace: demo}
associatedResources: [{group: operator.example.org, version: v1, kind: Demo}]
`;
const defaultCr =
  "apiVersion: operator.example.org/v1\nkind: Demo\nmetadata: {name: default, namespace: demo}\nspec: {size: 3}\n";

const commit = "7935a702bf6b8173ada39564f8b874bb66b17ce0";

let folder = "";
let registry: Registry;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kyma-create-"));
  registry = await startRegistry({ users: { robot: "s3cret" } });
  await put({ "module-config.yaml": config, "manifest.yaml": manifest, "default.yaml": defaultCr });
  await put({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/refs/heads/main": `${commit}\n`,
    ".git/config": '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.org:team/demo.git\n',
  });
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await put({ "key.pem": String(privateKey.export({ type: "pkcs8", format: "pem" })) });
  await put({ "key.pub": String(publicKey.export({ type: "spki", format: "pem" })) });
});
afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await systemFiles(folder).write(name, text);
}

async function create(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = { ...fakeIo({ files: systemFiles(folder), env: { DOCKER_CONFIG: folder } }), cwd: folder };
  const code = await runCli(["module", "create", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

const toRegistry = (...args: string[]) =>
  create("-r", `${registry.url}/modules`, "--credentials", "robot:s3cret", ...args);

function objectsOf(text: string): { template: ModuleTemplate; release: ModuleReleaseMeta | undefined } {
  const [template, release] = parseYamlDocuments(text) as unknown as [ModuleTemplate, ModuleReleaseMeta | undefined];
  return { template, release };
}

const text = (name: string): Promise<string> => readFile(join(folder, name), "utf8");

async function stored(name: string, version = "1.4.2") {
  const robot = { username: "robot", password: new Secret("s3cret") };
  const client = createRegistryClient({ credentials: async () => robot });
  try {
    return await getComponentVersion(client, { baseUrl: `${registry.url}/modules` }, { name, version });
  } finally {
    await client.close();
  }
}

describe("kyma module create", () => {
  test("pushes a component with digests and writes what offers it", async () => {
    const { code, err } = await toRegistry("--channel", "regular", "--channel", "fast");
    equal(err, "");
    equal(code, 0);
    const { template, release } = objectsOf(await text("template.yaml"));
    equal(template.metadata.name, "demo-1.4.2");
    deepEqual(template.spec.data, parseYamlDocuments(defaultCr)[0]);
    deepEqual(release?.spec, {
      moduleName: "demo",
      ocmComponentName: "example.org/module/demo",
      channels: [
        { channel: "regular", version: "1.4.2" },
        { channel: "fast", version: "1.4.2" },
      ],
    });
    const { descriptor } = await stored("example.org/module/demo");
    deepEqual(
      descriptor.resources.map(({ name, type, digest }) => [name, type, digest?.hashAlgorithm]),
      [
        ["raw-manifest", "yaml", "SHA-256"],
        ["default-cr", "yaml", "SHA-256"],
        ["metadata", "yaml", "SHA-256"],
      ],
    );
    equal(descriptor.repositoryContexts.at(-1)?.["baseUrl"], `${registry.host}/modules`);
  });

  test("names the commit it was made from, what is scanned, and the Secret that leads to its layers", async () => {
    const scan =
      "module-name: demo\nprotecode: ['registry.example.org:5000/demo-manager:1.4.2']\nwhitesource: {language: golang-mod, subprojects: false, exclude: ['**/*_test.go']}\ndev-branch: main\nrc-tag: 1.4.2\n";
    await put({
      "scan.yaml": scan,
      "scanned.yaml": `${config.replace("module/demo", "module/scanned")}security: scan.yaml\n`,
    });
    const selector = ["--registry-cred-selector", "team=a,stage=dev"];
    equal((await toRegistry("-c", "scanned.yaml", "-o", "scanned-template.yaml", ...selector)).code, 0);
    const { descriptor } = await stored("example.org/module/scanned");
    const [source] = descriptor.sources;
    deepEqual(source?.access, { type: "gitHub", repoUrl: "https://example.org/team/demo", commit });
    deepEqual(
      source?.labels.map(({ name, value }) => [name, value]),
      [
        ["git.kyma-project.io/ref", "refs/heads/main"],
        ["scan.security.kyma-project.io/rc-tag", "1.4.2"],
        ["scan.security.kyma-project.io/language", "golang-mod"],
        ["scan.security.kyma-project.io/dev-branch", "main"],
        ["scan.security.kyma-project.io/subprojects", "false"],
        ["scan.security.kyma-project.io/exclude", "**/*_test.go"],
      ],
    );
    deepEqual(descriptor.labels, [{ name: "security.kyma-project.io/scan", value: "enabled", version: "v1" }]);
    const image = descriptor.resources.find(({ name }) => name === "demo-manager");
    equal(image?.access["imageReference"], "registry.example.org:5000/demo-manager:1.4.2");
    deepEqual(descriptor.resources[0]?.labels[0]?.value, { team: "a", stage: "dev" });
    match((await create("--registry-cred-selector", "team")).err, /expected KEY=VALUE/);
  });

  test("writes the descriptor in either form", async () => {
    const version = ["--descriptor-version", "ocm.software/v3alpha1"];
    const { template } = objectsOf((await create("--dry-run", ...version)).out);
    equal(template.spec.descriptor["apiVersion"], "ocm.software/v3alpha1");
    const named = config.replace("module/demo", "module/newer");
    await put({ "newer.yaml": named });
    equal((await toRegistry("-c", "newer.yaml", "-o", "newer-template.yaml", ...version)).code, 0);
    equal((await stored("example.org/module/newer")).descriptor.schemaVersion, "v3alpha1");
  });

  test("#48 writes labels, annotations and the fields of the modern config", async () => {
    const { template } = objectsOf((await create("--dry-run")).out);
    deepEqual(template.metadata.labels, {
      team: "yes",
      "operator.kyma-project.io/module-name": "demo",
      "operator.kyma-project.io/beta": "true",
    });
    deepEqual(template.metadata.annotations, {
      "operator.kyma-project.io/is-cluster-scoped": "false",
      "operator.kyma-project.io/module-version": "1.4.2",
    });
    equal(template.spec.info?.icons?.[0]?.name, "logo");
    equal(template.spec.manager?.name, "demo-manager");
    equal(template.spec.associatedResources?.length, 1);
  });

  test("#44 pushes by the table: equal content is used as it is, other content needs --overwrite", async () => {
    await put({ "table.yaml": config.replace("module/demo", "module/table") });
    const push = (...args: string[]) => toRegistry("-c", "table.yaml", "-o", "table-template.yaml", ...args);
    match((await push()).out, /:1\.4\.2: pushed\n/);
    match((await push()).out, /is in the registry already, used as it is/);
    match((await push("--overwrite")).out, /: pushed\n/);
    await put({ "other.yaml": `${manifest}---\napiVersion: v1\nkind: Secret\nmetadata: {name: more}\n` });
    await put({ "table.yaml": config.replace("module/demo", "module/table").replace("manifest.yaml", "other.yaml") });
    const refused = await push();
    equal(refused.code, 1);
    match(refused.err, /with other content: raise the version, or replace it with --overwrite/);
    equal((await push("--overwrite")).code, 0);
    match((await push()).out, /used as it is/);
  });

  test("gives equal bytes for equal input, and writes nothing in a dry run", async () => {
    const first = await create("--dry-run", "-r", registry.url, "--channel", "regular");
    const second = await create("--dry-run", "-r", registry.url, "--channel", "regular");
    equal(first.code, 0);
    equal(first.out, second.out);
    ok(first.out.startsWith("apiVersion: operator.kyma-project.io/v1beta2\nkind: ModuleTemplate\n"));
  });

  test("signs what it pushes", async () => {
    await put({ "signed.yaml": config.replace("module/demo", "module/signed") });
    equal((await toRegistry("-c", "signed.yaml", "--key", "key.pem", "-o", "signed-template.yaml")).code, 0);
    const { descriptor } = await stored("example.org/module/signed");
    ok(verifySignature(descriptor, "kyma-module-signature", parsePublicKey(await text("key.pub"), "key")));
  });

  test("packs a chart as a helmChart that the operator installs", async () => {
    await put({
      "charts/demo/Chart.yaml": "apiVersion: v2\nname: demo\nversion: 0.1.0\n",
      "charts/demo/crds/crd.yaml": crd,
      "charts/demo/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n",
      "chart.yaml": config
        .replace("module/demo", "module/charted")
        .replace("manifest: manifest.yaml", "chart: charts/demo"),
    });
    const { code, err } = await toRegistry("-c", "chart.yaml", "-o", "chart-template.yaml");
    equal(err, "");
    equal(code, 0);
    const { descriptor } = await stored("example.org/module/charted");
    match(JSON.stringify(readContent(descriptor, "r")), /"type":"helm-chart".*"name":"example.org\/module\/charted"/);
  });

  test("packs a folder as a kustomization that the operator installs", async () => {
    await put({
      "base/kustomization.yaml": "resources: [crd.yaml]\n",
      "base/crd.yaml": crd,
      "kustomize.yaml": config
        .replace("module/demo", "module/kust")
        .replace("manifest: manifest.yaml", "kustomize: base"),
    });
    equal((await toRegistry("-c", "kustomize.yaml", "-o", "kustomize-template.yaml")).err, "");
    const { descriptor } = await stored("example.org/module/kust");
    match(JSON.stringify(readContent(descriptor, "r")), /"type":"kustomize"/);
    await put({ "base/kustomization.yaml": "resources: [gone.yaml]\n" });
    const broken = await create("-c", "kustomize.yaml", "--dry-run");
    equal(broken.code, 1);
    match(broken.err, /^Error: kustomize: base: .*gone\.yaml/);
  });

  test("#50 without a registry writes the archive and no template, and says so", async () => {
    const { code, out } = await create("--archive", "demo.tar", "-o", "never.yaml");
    equal(code, 0);
    match(out, /^demo\.tar: written; no template.*\nnext: "kyma module push demo\.tar /);
    equal(await systemFiles(folder).kind("never.yaml"), undefined);
    notEqual(await systemFiles(folder).kind("demo.tar"), undefined);
  });

  test("an archive is pushed later, with the templates that a direct push writes", async () => {
    await put({ "later.yaml": config.replace("module/demo", "module/later") });
    equal((await create("-c", "later.yaml", "--archive", "later.tar", "--channel", "fast")).code, 0);
    const io = { ...fakeIo({ files: systemFiles(folder), env: { DOCKER_CONFIG: folder } }), cwd: folder };
    const target = ["-r", `${registry.url}/modules`, "--credentials", "robot:s3cret"];
    equal(
      await runCli(["module", "push", "later.tar", ...target, "--channel", "fast", "-o", "pushed.yaml"], io),
      0,
      io.err(),
    );
    match(
      io.out(),
      /^example\.org\/module\/later:1\.4\.2: pushed\npushed\.yaml: written\nnext: "kubectl apply -f pushed\.yaml" /,
    );
    equal((await toRegistry("-c", "later.yaml", "--channel", "fast", "-o", "direct.yaml")).code, 0);
    equal(await text("pushed.yaml"), await text("direct.yaml"));
    equal(await runCli(["module", "push", "gone.tar", ...target], io), 1);
  });

  test("--report json tells what was made in one document, and leaves progress to stderr", async () => {
    await put({ "told.yaml": config.replace("module/demo", "module/told") });
    const component = "example.org/module/told:1.4.2";
    const report = ["-c", "told.yaml", "--report", "json"];
    const dry = JSON.parse((await create(...report, "--dry-run")).out) as { objects: { kind: string }[] };
    deepEqual(
      { ...dry, objects: dry.objects.map(({ kind }) => kind) },
      { component, pushed: false, objects: ["ModuleTemplate"] },
    );
    const packed = await create(...report, "--archive", "told.tar");
    deepEqual(JSON.parse(packed.out), { component, pushed: false, archive: "told.tar" });
    const target = ["-r", `${registry.url}/modules`, "--credentials", "robot:s3cret", "-o", "told-template.yaml"];
    const io = { ...fakeIo({ files: systemFiles(folder), env: { DOCKER_CONFIG: folder } }), cwd: folder };
    equal(await runCli(["module", "push", "told.tar", ...target, "--report", "yaml"], io), 0, io.err());
    equal(io.out(), `components:\n- component: ${component}\n  pushed: true\ntemplate: told-template.yaml\n`);
    equal(io.err(), `${component}: pushed\n`);
    const again = await toRegistry(...report, "-o", "told-template.yaml");
    deepEqual(JSON.parse(again.out), { component, pushed: false, template: "told-template.yaml" });
    equal(again.err, `${component}: is in the registry already, used as it is\n`);
  });

  test("#72 --- inside a text ends no document", () => {
    const documents = documentsIn(Buffer.from(manifest), "manifest.yaml") as { kind: string }[];
    deepEqual(
      documents.map(({ kind }) => kind),
      ["CustomResourceDefinition", "ConfigMap"],
    );
  });

  test("#51 refuses a default CR that its CRD does not take, with the path", async () => {
    await put({ "default-bad.yaml": defaultCr.replace("size: 3", "size: 9") });
    await put({ "bad-cr.yaml": config.replace("default.yaml", "default-bad.yaml") });
    const { code, err } = await create("-c", "bad-cr.yaml", "--dry-run");
    equal(code, 1);
    match(err, /default-bad\.yaml is no valid Demo:\n {2}spec\.size: Invalid value: 9/);
  });

  test("#49 refuses a default CR for which the module has no CRD", async () => {
    await put({ "plain.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" });
    await put({ "no-crd.yaml": config.replace("manifest: manifest.yaml", "manifest: plain.yaml") });
    const { code, err } = await create("-c", "no-crd.yaml", "--dry-run");
    equal(code, 1);
    match(
      err,
      /defaultCR: default\.yaml: no CustomResourceDefinition of the module serves operator\.example\.org\/v1 Demo/,
    );
  });

  test("refuses plain HTTP to other machines, and shows no credentials", async () => {
    const plain = await create("-r", "http://registry.example.org", "--credentials", "robot:s3cret");
    equal(plain.code, 4);
    match(plain.err, /allow it with --insecure/);
    const wrong = await create("-r", registry.url, "--credentials", "robot:hunter2");
    equal(wrong.code, 1);
    ok(!wrong.err.includes("hunter2"));
  });

  test("#47 reads a manifest from a URL, and names URL and status when that fails", async () => {
    await put({ "url.yaml": config.replace("manifest.yaml", `${registry.url}/v2/none`) });
    const { code, err } = await create("-c", "url.yaml", "--dry-run");
    equal(code, 1);
    match(err, /\/v2\/none: the server answered 401/);
  });

  test("a config that is missing is named", async () => {
    const { code, err } = await create("-c", "gone.yaml");
    equal(code, 1);
    match(err, /gone\.yaml/);
  });
});
