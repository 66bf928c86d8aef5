import { deepEqual, equal, match, ok } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, test } from "@jest/globals";
import { systemClock } from "@kyma-operators/kube";
import { createClusterPool } from "@kyma-operators/runtime";
import { writeTar } from "oras-js";
import { ManifestWorld, sampleModule } from "../../testing/index.ts";
import { addManifestController, type ManifestController } from "./controller.ts";

const api = "operator.kyma-project.io/v1beta2";
const mebibyte = 1024 * 1024;
const { configMap } = sampleModule;
/** Sorts behind the Manifest under test. */
const healthy = "z-healthy";
let world: ManifestWorld<ManifestController>;
beforeAll(async () => {
  world = await ManifestWorld.start(({ context, ...options }) => addManifestController(context, options));
  await installHealthy();
});
afterEach(async () => {
  await world.delete();
  await world.world.clock.until(async () => (await world.world.kcp.list(api, "Manifest")).length === 1);
});
afterAll(async () => world.stop());

/** An archive as a hostile author writes it: paths and types that a well-behaved writer refuses. */
function rawTar(entries: readonly (readonly [path: string, type: string, content?: string])[]): Uint8Array {
  const blocks = entries.flatMap(([path, type, content = ""]) => {
    const header = Buffer.alloc(512);
    header.write(path, 0);
    header.write("0000644\0", 100);
    header.write("0000000\0".repeat(2), 108);
    header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write(`        ${type}`, 148);
    header.write(type === "2" ? "/etc/passwd" : "", 157);
    header.write("ustar\x0000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, Buffer.from(content.padEnd(Math.ceil(content.length / 512) * 512, "\0"))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

function chart(templates: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}): Uint8Array {
  const named = Object.entries(templates).map(([name, text]) => [`demo/templates/${name}`, text] as const);
  const files = {
    "demo/Chart.yaml": "apiVersion: v2\nname: demo\nversion: 1.0.0\n",
    ...Object.fromEntries(named),
    ...more,
  };
  return writeTar(Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })));
}

const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: kyma-system}\n";
const kustomization = (text: string): Uint8Array =>
  writeTar([{ path: "kustomization.yaml", content: Buffer.from(text) }]);
const aliases = Array.from(
  { length: 12 },
  (_, index) =>
    `l${index}: &l${index} [${Array(10)
      .fill(index === 0 ? "x" : `*l${index - 1}`)
      .join(", ")}]`,
);

const layers: readonly [name: string, layer: () => Uint8Array, says: RegExp][] = [
  [
    "a gzip that unpacks to far more than it holds",
    () => gzipSync(Buffer.alloc(65 * mebibyte)),
    /can't be unpacked within/,
  ],
  [
    "an archive that unpacks to far more than it holds",
    () => gzipSync(writeTar([{ path: "a.yaml", content: Buffer.alloc(70 * mebibyte) }])),
    /larger|limit|more than/i,
  ],
  ["a path that leaves the archive (fault 60)", () => rawTar([["demo/../../evil.yaml", "0", yaml]]), /evil\.yaml/],
  ["a path beside the archive's folder (fault 60)", () => rawTar([["../demo-evil/a.yaml", "0", yaml]]), /demo-evil/],
  ["an absolute path (fault 60)", () => rawTar([["/etc/cron.d/evil", "0", yaml]]), /etc\/cron\.d/],
  ["a symbolic link", () => rawTar([["a.yaml", "2"]]), /a\.yaml/],
  ["a device", () => rawTar([["a.yaml", "3"]]), /a\.yaml/],
  ["a damaged archive", () => rawTar([["a.yaml", "0", yaml]]).subarray(0, 700), /registry\.example\.org/],
  ["aliases that multiply", () => Buffer.from(`${aliases.join("\n")}\n${yaml}`), /YAML: exceeds maxNodes/],
  ["endless nesting", () => Buffer.from(`a: ${"[".repeat(20_000)}`), /registry\.example\.org/],
  [
    "more objects than a module may have",
    () =>
      Buffer.from(Array.from({ length: 10_001 }, (_, index) => `kind: A\nmetadata: {name: a${index}}\n`).join("---\n")),
    /more than 10000 objects/,
  ],
  ["bytes that are no text", () => Buffer.from([0xc3, 0x28, 0x0a]), /no UTF-8 text/],
];

const charts: readonly [name: string, layer: () => Uint8Array, says: RegExp][] = [
  [
    "a template that includes itself",
    () => chart({ "a.yaml": '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}' }),
    /a\.yaml/,
  ],
  ["a loop without an end", () => chart({ "a.yaml": "{{ range until 2000000000 }}x{{ end }}" }), /a\.yaml|limit/i],
  [
    "output without an end",
    () => chart({ "a.yaml": '{{ range until 100000 }}{{ repeat 10000 "x" }}{{ end }}' }),
    /a\.yaml|limit/i,
  ],
  [
    "a pattern that backtracks for ever",
    () => chart({ "a.yaml": '{{ regexMatch "^(a+)+$" (repeat 50000 "a" | printf "%sb") | fail }}' }),
    /./,
  ],
  [
    "a name that is a path",
    () => chart({ "a.yaml": yaml.replace("name: a", 'name: "../../kube-system/a"') }),
    /ConfigMap has .*kube-system.*expected a name/,
  ],
  [
    "an object without a name",
    () => chart({ "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n" }),
    /expected a name/,
  ],
];

const kustomizations: readonly [name: string, layer: () => Uint8Array, says: RegExp][] = [
  ["a base outside the layer", () => kustomization("resources: [../../etc]\n"), /\.\.\/\.\.\/etc/],
  ["a file of the operator", () => kustomization("resources: [/etc/passwd]\n"), /etc\/passwd/],
  ["a base in a git repository", () => kustomization("resources: [https://example.org/repo.git]\n"), /example\.org/],
  ["a plugin that would be run", () => kustomization("generators: [evil.yaml]\n"), /generators/],
];

describe.each([
  ["layer", "oci-dir", layers],
  ["chart", "helm-chart", charts],
  ["kustomization", "kustomize", kustomizations],
] as const)("a hostile %s is refused with its reason, and the others are installed: ", (_kind, type, rows) => {
  for (const [name, layer, says] of rows) {
    test(name, async () => {
      const ref = world.layer(layer());
      await world.install(ref, {
        install: { name: "demo", source: { type, repo: "registry.example.org", name: "m", ref } },
      });
      const started = performance.now();
      const { status } = await world.until("Error");

      match(status?.lastOperation?.operation ?? "", says);
      ok((status?.lastOperation?.operation ?? "").length < 2_000, "a message is no place for content");
      ok(performance.now() - started < 20_000, "it is found out in time");
      deepEqual(await world.names("v1", "ConfigMap"), [healthy]);
    });
  }
});

async function installHealthy(): Promise<void> {
  const source = { type: "oci-ref", repo: "registry.example.org", name: "h", ref: world.layer([configMap(healthy)]) };
  await world.world.kcp.apply({
    apiVersion: api,
    kind: "Manifest",
    metadata: { name: healthy, namespace: "kcp-system", labels: { "operator.kyma-project.io/kyma-name": "one" } },
    spec: { remote: false, install: { name: healthy, source } },
  });
  await world.world.clock.until(async () => (await world.names("v1", "ConfigMap")).includes(healthy));
}

test("a chart sees neither the cluster nor the operator's environment and files", async () => {
  const text = `apiVersion: v1
kind: ConfigMap
metadata: {name: seen, namespace: kyma-system}
data:
  secret: "{{ lookup "v1" "Secret" "kcp-system" "" | len }}"
  file: "{{ .Files.Get "/etc/passwd" | len }}"
  above: "{{ .Files.Get "../../etc/passwd" | len }}"
`;
  const ref = world.layer(chart({ "a.yaml": text }));
  await world.install(ref, {
    install: { name: "demo", source: { type: "helm-chart", repo: "registry.example.org", name: "m", ref } },
  });
  await world.until("Ready");
  const seen = (await world.world.skr.list("v1", "ConfigMap")).find(({ metadata }) => metadata.name === "seen");
  deepEqual(seen?.["data"], { secret: "0", file: "0", above: "0" });

  const environment = world.layer(chart({ "a.yaml": '{{ env "HOME" }}' }));
  await world.upgrade(environment);
  match((await world.until("Error")).status?.lastOperation?.operation ?? "", /function "env" not defined/);
});

test("a kubeconfig that would run a program is refused, and nothing of it is shown", async () => {
  const pool = createClusterPool({ clock: systemClock });
  world.world.clusters.open = (key, version, kubeconfig) => pool.get(key, { kubeconfig: kubeconfig(), version }).client;
  const kubeconfig = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster: { server: "https://k.example.org" } }],
    users: [
      {
        name: "u",
        user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: ["s3cr3t"] } },
      },
    ],
  };
  const secrets = await world.world.kcp.resource("v1", "Secret");
  const config = Buffer.from(JSON.stringify(kubeconfig)).toString("base64");
  const access = { resource: secrets, namespace: "kcp-system", name: "kubeconfig-one" };
  await world.world.kcp.client.mergePatch(access, { data: { config } });
  await world.install(world.layer([configMap("a")]));
  const { status } = await world.until("Error");

  match(status?.lastOperation?.operation ?? "", /exec/);
  equal(JSON.stringify(status).includes("s3cr3t"), false);
  await pool.close();
});
