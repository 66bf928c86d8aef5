import { deepEqual, equal, ok } from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { digestOf, writeTar } from "oras-js";
import { makeKeyPair } from "../../testing/index.ts";
import { LocalWorld } from "../local-world.ts";
import { eventually, kyma as runKyma } from "../programs.ts";

/** A value that must not be seen anywhere but where it was put. */
const canary = (): string => randomBytes(18).toString("hex");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const canaries = {
  "the token of a cluster that repeats it": canary(),
  "the token of a cluster that is away": canary(),
  "a password in an address": canary(),
  "a damaged kubeconfig": canary(),
  "the argument of an exec plugin": canary(),
  "the password of a registry that repeats it": canary(),
  "a number that a chart writes into a Secret": String(randomInt(2 ** 47)).padStart(15, "7"),
  "a list that a chart writes into a Secret": canary(),
  "a Secret of a chart that is no YAML": canary(),
  "a credential in a default resource": canary(),
  "the token in the address of a registry": canary(),
} as const;

/** Charts whose objects are refused, with what would show the secret in them. */
const layers: Readonly<Record<string, Uint8Array>> = {
  number: chart(secretOf("pin: {{ .Values.pin }}"), `pin: ${canaries["a number that a chart writes into a Secret"]}`),
  list: chart(
    secretOf('hosts: ["{{ .Values.host }}"]'),
    `host: ${canaries["a list that a chart writes into a Secret"]}`,
  ),
  broken: chart(secretOf('pin: "{{ .Values.pin }}\n  "x'), `pin: ${canaries["a Secret of a chart that is no YAML"]}`),
  resource: chart(guardedCrd(), "{}"),
};

function secretOf(line: string): string {
  return `apiVersion: v1\nkind: Secret\nmetadata: {name: refused, namespace: kyma-system}\nstringData:\n  ${line}\n`;
}

function guardedCrd(): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: guards.canary.example.org}
spec:
  group: canary.example.org
  scope: Namespaced
  names: {kind: Guard, listKind: GuardList, plural: guards, singular: guard}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {adminPassword: {type: string, maxLength: 3}}}
`;
}

function chart(template: string, values: string): Uint8Array {
  const files = {
    "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    "c/values.yaml": values,
    "c/templates/t.yaml": template,
  };
  return gzipSync(writeTar(Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }))));
}

/** A registry that has the layers and nothing else. */
function serveLayer({ url = "" }: IncomingMessage, response: ServerResponse): void {
  const found = Object.values(layers).find((layer) => url.endsWith(`/blobs/${digestOf(layer)}`));
  response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/octet-stream" }).end(found);
}

let world: LocalWorld;
/** Credentials that reached the servers which repeat them. */
const received: string[] = [];
const closers: (() => void)[] = [];

/** Repeats the credentials it was given in its answer, as a careless or hostile server would. */
function repeat(status: number) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const given = request.headers.authorization ?? "";
    const [, encoded = ""] = /^Basic (.+)$/.exec(given) ?? [];
    const seen = `refused ${given} ${Buffer.from(encoded, "base64").toString("utf8")}`;
    received.push(seen);
    const errors = [{ code: "DENIED", message: seen }];
    const body = {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      code: status,
      reason: "Forbidden",
      message: seen,
      errors,
    };
    const challenge = given === "" ? { "www-authenticate": 'Basic realm="r"' } : {};
    response
      .writeHead(given === "" ? 401 : status, { "content-type": "application/json", ...challenge })
      .end(JSON.stringify(body));
  };
}

async function listen(server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const onPlane = async (args: readonly string[], input?: string): Promise<string> => {
  const { code, stdout, stderr } = await world.kubectlWith("control-plane", ["-n", "kcp-system", ...args], input);
  equal(code, 0, `kubectl ${args.join(" ")}: ${stderr}`);
  return stdout;
};
const apply = async (object: object): Promise<void> => {
  await onPlane(["apply", "-f", "-"], JSON.stringify(object));
};

function kubeconfig(server: string, user: object, cluster: object = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** A Kyma whose cluster is reached with this kubeconfig. */
async function addKyma(name: string, access: string): Promise<void> {
  await apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `kubeconfig-${name}`, labels: { "operator.kyma-project.io/kyma-name": name } },
    stringData: { config: access },
  });
  await apply({
    apiVersion: "operator.kyma-project.io/v1beta2",
    kind: "Kyma",
    metadata: { name, labels: { "kyma-project.io/runtime-id": name } },
    spec: { channel: "regular", modules: [{ name: "greeter" }] },
  });
}

async function addManifest(name: string, registry: string, password: string): Promise<void> {
  await apply({
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/dockerconfigjson",
    metadata: { name: `${name}-credentials`, labels: { canary: name } },
    stringData: {
      ".dockerconfigjson": JSON.stringify({ auths: { [registry]: { username: "robot", password } } }),
    },
  });
  await apply({
    apiVersion: "operator.kyma-project.io/v1beta2",
    kind: "Manifest",
    metadata: { name, labels: { "operator.kyma-project.io/kyma-name": "demo" } },
    spec: {
      remote: true,
      version: "1.0.0",
      install: {
        name: "raw-manifest",
        source: {
          type: "oci-ref",
          repo: `http://${registry}/modules`,
          name: "m",
          ref: `sha256:${"a".repeat(64)}`,
          credSecretSelector: { matchLabels: { canary: name } },
        },
      },
    },
  });
}

/** A module of one of the charts, from a registry that asks for nothing. */
async function addChart(name: keyof typeof layers, registry: string, resource?: object): Promise<void> {
  const source = { type: "oci-ref", repo: registry, name: "m", ref: digestOf(layers[name] ?? new Uint8Array()) };
  await apply({
    apiVersion: "operator.kyma-project.io/v1beta2",
    kind: "Manifest",
    metadata: { name, labels: { "operator.kyma-project.io/kyma-name": "demo" } },
    spec: { remote: true, version: "1.0.0", install: { name: "raw-manifest", source }, resource },
  });
}

/** Everything that people and machines read of the world. */
async function readable(): Promise<Readonly<Record<string, string>>> {
  const status = await eventually(
    () => world.status(),
    () => world.output(),
  );
  const { clusters, operatorLog, metrics } = status.addresses;
  const kubeconfigOf = clusters[0]?.kubeconfig ?? "";
  const kinds = "kymas,manifests,runtimes,gardenerclusters,moduletemplates,leases,events.events.k8s.io";
  const said = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await runKyma([...args, "--kubeconfig", kubeconfigOf]);
    return stdout + stderr;
  };
  return {
    "log of the operator": await readFile(operatorLog, "utf8"),
    metrics: await (await fetch(metrics)).text(),
    "objects and events": withoutSpecs(await onPlane(["get", kinds, "-A", "-o", "json"])),
    "events of the runtime": await world.printed("runtime-demo", "get", "events.events.k8s.io", "-A", "-o", "json"),
    "support bundle": await supportBundle(kubeconfigOf),
    dashboard: await dashboardText(),
    "kyma status": await said("status", "-o", "json"),
    "kyma local": world.output() + JSON.stringify(status),
  };
}

/** What users have written themselves is theirs; what we have made of it must not show. */
function withoutSpecs(list: string): string {
  return JSON.stringify(JSON.parse(list), (key, value: unknown) =>
    key === "spec" || key === "kubectl.kubernetes.io/last-applied-configuration" ? undefined : value,
  );
}

async function supportBundle(kubeconfigPath: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kyma-canaries-"));
  const output = join(folder, "bundle.tgz");
  const { code, stdout, stderr } = await runKyma(["support-bundle", "-o", output, "--kubeconfig", kubeconfigPath]);
  equal(code, 0, stderr);
  const text = gunzipSync(await readFile(output)).toString("utf8");
  await rm(folder, { recursive: true });
  return text + stdout + stderr;
}

/** The pages of the fleet and of its Kymas. */
async function dashboardText(): Promise<string> {
  const address = await world.dashboard();
  const paths = ["/", ...["demo", "careless", "away", "damaged", "exec", "address"].map((name) => `/kymas/${name}`)];
  const pages = await Promise.all(paths.map((path) => fetch(new URL(path, address))));
  for (const page of pages) equal(page.status, 200, page.url);
  return (await Promise.all(pages.map((page) => page.text()))).join("");
}

beforeAll(async () => {
  world = await LocalWorld.start();
  await world.ready();
  const pair = await makeKeyPair({ name: "localhost" });
  const careless = await listen(createTlsServer({ cert: pair.certificate, key: pair.key }, repeat(403)));
  const registry = await listen(createServer(repeat(403)));
  const authority = { "certificate-authority-data": base64(pair.certificate) };
  const of = canaries;
  await addKyma(
    "careless",
    kubeconfig(`https://127.0.0.1:${careless}`, { token: of["the token of a cluster that repeats it"] }, authority),
  );
  await addKyma("away", kubeconfig("https://127.0.0.1:1", { token: of["the token of a cluster that is away"] }));
  await addKyma("address", kubeconfig(`https://me:${of["a password in an address"]}@api.example.test`, { token: "t" }));
  await addKyma("damaged", `{"users": [{"token": "${of["a damaged kubeconfig"]}", "}`);
  await addKyma(
    "exec",
    kubeconfig("https://api.example.test", { exec: { command: "sh", args: [of["the argument of an exec plugin"]] } }),
  );
  const open = await listen(createServer(serveLayer));
  for (const name of ["number", "list", "broken"]) await addChart(name, `http://127.0.0.1:${open}/modules`);
  await addChart("resource", `http://127.0.0.1:${open}/modules`, {
    apiVersion: "canary.example.org/v1",
    kind: "Guard",
    metadata: { name: "g", namespace: "kyma-system" },
    spec: { adminPassword: of["a credential in a default resource"] },
  });
  await addManifest("token", `${of["the token in the address of a registry"]}@127.0.0.1:1`, "x");
  await addManifest("guarded", `127.0.0.1:${registry}`, of["the password of a registry that repeats it"]);
}, 180_000);
afterAll(async () => {
  for (const close of closers) close();
  await world.stop();
}, 30_000);

describe("secrets of the stories", () => {
  test("every trouble is told, and none of them tells a secret", async () => {
    const told = async (): Promise<string> => onPlane(["get", "kymas,manifests", "-o", "json"]);
    const charts = ["number", "list", "broken", "resource", "token"];
    const names = ["careless", "away", "address", "damaged", "exec", "guarded", ...charts];
    await eventually(
      async () => {
        const { items } = JSON.parse(await told()) as {
          readonly items: readonly {
            readonly metadata: { readonly name: string };
            readonly status?: { readonly state?: string };
          }[];
        };
        const failed = items.filter(({ status }) => /Error|Warning/.test(status?.state ?? ""));
        return names.every((name) => failed.some(({ metadata }) => metadata.name === name)) ? true : undefined;
      },
      () => world.output(),
      { withinMs: 90_000 },
    );
    const places = await readable();
    const found = Object.entries(canaries).flatMap(([what, secret]) =>
      Object.entries(places).flatMap(([place, text]) =>
        [secret, base64(secret).replace(/=+$/, "")]
          .map((form) => text.indexOf(form))
          .filter((at) => at >= 0)
          .map((at) => `${what} is in ${place}: ${text.slice(Math.max(0, at - 200), at)}`),
      ),
    );
    deepEqual(found, []);
    // What was searched is what the troubles were told in, and what the servers said is among it.
    for (const what of [
      "the token of a cluster that repeats it",
      "the password of a registry that repeats it",
    ] as const)
      ok(
        received.some((text) => text.includes(canaries[what])),
        what,
      );
    ok(
      places["objects and events"]?.includes("refused Bearer [redacted]"),
      "the text of the careless cluster is shown",
    );
    for (const name of names) ok(places["log of the operator"]?.includes(name), name);
  }, 120_000);

  test("no key or token of the world itself is told either", async () => {
    const { items } = JSON.parse(await onPlane(["get", "secrets", "-o", "json"])) as {
      readonly items: readonly {
        readonly metadata: { readonly name: string };
        readonly data?: Readonly<Record<string, string>>;
      }[];
    };
    const texts = items.map(({ data = {} }) =>
      Object.values(data)
        .map((value) => Buffer.from(value, "base64").toString("utf8"))
        .join("\n"),
    );
    const keys = texts.flatMap((text) =>
      [...text.matchAll(/(?:client-key-data|token)"?: *"?([A-Za-z0-9+/=._-]{20,})/g)].map(([, key = ""]) => key),
    );
    ok(keys.length > 0, "the demo has a kubeconfig");
    const places = await readable();
    for (const [place, text] of Object.entries(places)) {
      for (const key of keys) equal(text.includes(key), false, place);
      equal(/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text), false, place);
    }
  }, 60_000);
});
