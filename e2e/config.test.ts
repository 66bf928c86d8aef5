import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { build, treeOf } from "@kyma-operators/kustomize";
import { formatYamlDocuments, parseYamlDocuments } from "@kyma-operators/yaml";
import { startEmbeddedServer, startKubeApiServer, type TestServer, tokenKubeconfig } from "../testing/index.ts";
import { oracles } from "../testing/oracles/index.ts";
import { type Finished, run } from "./programs.ts";

const root = join(import.meta.dirname, "..");
const bases = [
  "crd",
  "rbac",
  "manager",
  "prometheus",
  "grafana",
  "network-policy",
  "watcher",
  "split/watcher",
  "gardener",
  "remote",
];
const overlays = ["default", "dashboard", "split", "sharded", "local", "webhook"];

interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const idOf = ({ apiVersion, kind, metadata }: KubeObject): string =>
  [apiVersion, kind, metadata.namespace ?? "", metadata.name].join(" ");
const sorted = (objects: readonly KubeObject[]): readonly KubeObject[] =>
  [...objects].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));

/** The files of config/ and crds/ as our own kustomize reads them. */
function productTree() {
  const files = ["config", "crds"].flatMap((folder) =>
    [...readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })]
      .map((name) => join(root, folder, name))
      .filter((path) => statSync(path).isFile()),
  );
  return treeOf(new Map(files.map((path) => [path, readFileSync(path)])));
}

async function kustomize(base: string): Promise<Finished> {
  const { kubectl } = await oracles();
  return run(kubectl, ["kustomize", join(root, "config", base)]);
}

describe("the bases and overlays of config/", () => {
  const tree = productTree();
  for (const base of [...bases, "samples", ...overlays]) {
    test(`${base}: real kubectl and our kustomize build the same objects`, async () => {
      const { code, stdout, stderr } = await kustomize(base);
      equal(code, 0, stderr);
      equal(/warning|deprecated/i.test(stderr), false, stderr);
      const expected = parseYamlDocuments(stdout, { name: base }) as unknown as readonly KubeObject[];
      const built = build(tree, join(root, "config", base)) as unknown as readonly KubeObject[];
      // Through text: what matters is what is sent.
      const sent = parseYamlDocuments(formatYamlDocuments(built), { name: base });
      deepEqual(sorted(sent as unknown as readonly KubeObject[]), sorted(expected));
    });
  }
});

describe("the chart", () => {
  const flags = ["--namespace", "kcp-system", "--include-crds", "--set", "namespace.create=true"];
  for (const version of ["helm", "helm3"] as const) {
    test(`real ${version} renders it to the objects of config/default`, async () => {
      const program = (await oracles())[version];
      const chart = join(root, "charts/kyma-operators");
      const { code, stdout, stderr } = await run(program, ["template", "kyma-operators", chart, ...flags]);
      equal(code, 0, stderr);
      const parse = (text: string) => parseYamlDocuments(text, { name: "objects" }) as unknown as readonly KubeObject[];
      const rendered = parse(stdout).filter((object) => object !== null);
      deepEqual(sorted(rendered), sorted(parse((await kustomize("default")).stdout)));
    });
  }
});

/** Kinds whose definitions belong to other products. */
const foreign = /^(cert-manager\.io|monitoring\.coreos\.com)\//;

interface Server {
  readonly name: string;
  readonly start: () => Promise<TestServer>;
}

const assets = process.env.KUBEBUILDER_ASSETS;
const servers: readonly Server[] = [
  { name: "the embedded API server", start: startEmbeddedServer },
  ...(assets === undefined ? [] : [{ name: "kube-apiserver", start: async () => startKubeApiServer(assets) }]),
];

describe.each(servers)("on $name with RBAC", ({ start }) => {
  let server: TestServer;
  let folder = "";
  beforeAll(async () => {
    server = await start();
    folder = await mkdtemp(join(tmpdir(), "config-"));
    await writeFile(join(folder, "kubeconfig"), tokenKubeconfig(server), { mode: 0o600 });
    await kubectl("create", "namespace", "istio-system");
    await kubectl("create", "namespace", "garden-project");
  }, 150_000);
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function attempt(...args: readonly string[]): Promise<Finished> {
    const { kubectl: program } = await oracles();
    return run(program, ["--kubeconfig", join(folder, "kubeconfig"), ...args]);
  }
  async function kubectl(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await attempt(...args);
    equal(code, 0, `kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }
  /** What an overlay holds of kinds that are served here. */
  async function fileOf(base: string): Promise<string> {
    const { stdout } = await kustomize(base);
    const objects = (parseYamlDocuments(stdout, { name: base }) as unknown as readonly KubeObject[]).filter(
      ({ apiVersion }) => !foreign.test(apiVersion),
    );
    await writeFile(join(folder, `${base.replace("/", "-")}.yaml`), formatYamlDocuments(objects));
    return join(folder, `${base.replace("/", "-")}.yaml`);
  }
  const canI = async (account: string, ...what: readonly string[]): Promise<string> =>
    (await attempt("auth", "can-i", `--as=system:serviceaccount:kcp-system:${account}`, ...what)).stdout.trim();
  const generations = () =>
    kubectl(
      "get",
      "crd,deployments,services,roles,rolebindings,clusterroles,poddisruptionbudgets,priorityclasses",
      "-A",
      "-l",
      "app.kubernetes.io/part-of=kyma-operators",
      "-o",
      'jsonpath={range .items[*]}{.kind}/{.metadata.name}@{.metadata.resourceVersion}{"\\n"}{end}',
    );

  test("default is applied, and a second time changes nothing", async () => {
    const flags = ["apply", "--server-side", "--validate=strict", "-k", join(root, "config/default")];
    await kubectl(...flags);
    await kubectl("wait", "crd", "--all", "--for=condition=Established", "--timeout=30s");
    await kubectl("apply", "--server-side", "--validate=strict", "-k", join(root, "config/samples"));
    const before = await generations();
    ok(before.split("\n").length > 20, before);
    await kubectl(...flags);
    equal(await generations(), before);
  }, 90_000);

  test("every other base and overlay is accepted by a dry run on the server", async () => {
    for (const base of [...bases, ...overlays]) {
      const file = await fileOf(base);
      if (base === "prometheus") continue; // nothing of it is served here
      match(
        await kubectl("apply", "--server-side", "--dry-run=server", "--force-conflicts", "-f", file),
        /server dry run/,
        base,
      );
    }
  }, 120_000);

  test("the account of the default installation may do what it must, and no more", async () => {
    const may = async (...what: readonly string[]) => canI("kyma-operator", ...what);
    equal(await may("watch", "secrets", "-n", "kcp-system"), "yes");
    equal(await may("create", "manifests.operator.kyma-project.io", "-n", "kcp-system"), "yes");
    equal(await may("watch", "leases.coordination.k8s.io", "-n", "kcp-system"), "yes");
    equal(await may("get", "crd/kymas.operator.kyma-project.io"), "yes");
    equal(await may("list", "secrets", "-A"), "no");
    equal(await may("get", "secrets", "-n", "default"), "no");
    equal(await may("get", "crd/others.example.org"), "no");
    equal(await may("delete", "kymas.operator.kyma-project.io", "-n", "kcp-system"), "no");
    equal(await may("create", "pods", "-n", "kcp-system"), "no");
    equal(await may("*", "*"), "no");
  });

  test("it may list the definitions that it copies one by one, and not all of them", async () => {
    const as = "--as=system:serviceaccount:kcp-system:kyma-operator";
    const one = "--field-selector=metadata.name=kymas.operator.kyma-project.io";
    match(await kubectl("get", "crd", as, one, "-o", "name"), /kymas\.operator\.kyma-project\.io\n$/);
    match((await attempt("get", "crd", as)).stderr, /Forbidden.*cannot list resource/s);
  });

  test("split gives each controller only its own rights", async () => {
    await kubectl("apply", "--server-side", "--force-conflicts", "-f", await fileOf("split"));
    equal(
      await canI(
        "kyma-operator-runtime",
        "patch",
        "runtimes.infrastructuremanager.kyma-project.io",
        "-n",
        "kcp-system",
      ),
      "yes",
    );
    equal(await canI("kyma-operator-runtime", "list", "manifests.operator.kyma-project.io", "-n", "kcp-system"), "no");
    equal(
      await canI("kyma-operator-manifest", "patch", "manifests/x", "--subresource=status", "-n", "kcp-system"),
      "yes",
    );
    equal(await canI("kyma-operator-manifest", "create", "secrets", "-n", "kcp-system"), "no");
    equal(await canI("kyma-operator-gardener-cluster", "create", "secrets", "-n", "kcp-system"), "yes");
    equal(await canI("kyma-operator-kyma", "patch", "watchers.operator.kyma-project.io", "-n", "kcp-system"), "yes");
  }, 60_000);

  test("a Runtime with an unknown provider is refused with the field", async () => {
    const runtime = await kubectl("-n", "kcp-system", "get", "runtime", "demo", "-o", "json");
    const wrong = runtime.replace('"type": "aws"', '"type": "moon"').replace('"name": "demo"', '"name": "other"');
    await writeFile(join(folder, "wrong.json"), wrong.replace(/"resourceVersion": "\d+",?/, ""));
    const { code, stderr } = await attempt("create", "-f", join(folder, "wrong.json"));
    equal(code, 1);
    match(stderr, /spec\.shoot\.provider\.type: Unsupported value: "moon"/);
  });
});
