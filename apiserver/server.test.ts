import { deepEqual, equal, match, notEqual, rejects } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { FakeClock } from "../testing/index.ts";
import { createAuthority } from "./auth/certificates.ts";
import { TokenSigner } from "./auth/tokens.ts";
import {
  type ApiServer,
  type ApiServerOptions,
  apiError,
  type RequestRecord,
  simulateAnnotation,
  startApiServer,
  type Transport,
} from "./index.ts";

const servers: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function start(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer({ listen: false, ...options });
  servers.push(server);
  return server;
}

async function send(
  transport: Transport,
  line: string,
  body?: unknown,
  type = "application/json",
): Promise<{ status: number; body: AnyObject }> {
  const [method = "", path = ""] = line.split(" ");
  const response = await transport({
    method,
    path,
    headers: { "content-type": type, "user-agent": "test" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString()) as AnyObject };
}

/** Lets controllers come to rest: they work in microtasks. */
async function until(transport: Transport, path: string, fits: (body: AnyObject) => boolean): Promise<AnyObject> {
  for (let turn = 0; turn < 500; turn += 1) {
    const { body } = await send(transport, `GET ${path}`);
    if (fits(body)) return body;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${path} never came to the wanted state`);
}

const maps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const deployment = (annotations: Record<string, string> = {}): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" }, annotations }, spec: { containers: [{ name: "c", image: "i:1" }] } },
  },
});
const statusOf = (body: AnyObject): { readonly availableReplicas?: number; readonly replicas?: number } =>
  body.status ?? {};

describe("startApiServer", () => {
  test("serves several clusters that know nothing of each other", async () => {
    const [one, two] = [await start(), await start()];
    equal((await send(one.transport, `POST ${maps}`, { metadata: { name: "x" } })).status, 201);
    equal((await send(two.transport, `GET ${maps}/x`)).status, 404);
  });

  test("makes Deployments available after the delay of the clock", async () => {
    const clock = new FakeClock();
    const { transport } = await start({ clock, workload: { readyDelayMs: 5_000 } });
    await send(transport, `POST ${deployments}`, deployment());
    await until(transport, `${deployments}/web`, (body) => statusOf(body).replicas === 2);
    equal(statusOf((await send(transport, `GET ${deployments}/web`)).body).availableReplicas, undefined);
    await clock.advance(5_000);
    await until(transport, `${deployments}/web`, (body) => statusOf(body).availableReplicas === 2);
  });

  test("shows a Pod that can't pull its image when told to", async () => {
    const { transport } = await start();
    await send(transport, `POST ${deployments}`, deployment({ [simulateAnnotation]: "image-pull-error" }));
    const pods = await until(transport, "/api/v1/namespaces/default/pods", (body) =>
      JSON.stringify(body).includes("ImagePullBackOff"),
    );
    equal((pods.items as unknown[]).length, 2);
    equal(statusOf((await send(transport, `GET ${deployments}/web`)).body).availableReplicas, undefined);
  });

  test("reports each request once, and a dry run as such", async () => {
    const seen: RequestRecord[] = [];
    const { transport } = await start({ onRequest: (record) => seen.push(record) });
    await send(transport, `POST ${maps}?dryRun=All`, { metadata: { name: "x" } });
    await send(transport, `GET ${maps}/x`);
    deepEqual(
      seen.map(({ verb, resource, name, status, dryRun }) => [verb, resource, name, status, dryRun]),
      [
        ["create", "configmaps", "", 201, true],
        ["get", "configmaps", "x", 404, false],
      ],
    );
  });

  test("asks extensions before a write and lets them serve subresources", async () => {
    const { transport } = await start({
      extensions: [
        {
          group: "",
          resource: "configmaps",
          admit: ({ object, operation }) => {
            if (operation === "DELETE")
              throw apiError.forbidden(
                { resource: "configmaps", kind: "ConfigMap", group: "", name: "x" },
                "confirm first",
              );
            return { ...object, data: { ...(object.data as object), filled: "yes" } };
          },
          subresources: { adminkubeconfig: ({ object, body }) => ({ ...body, status: { of: object.metadata.name } }) },
        },
      ],
    });
    const created = await send(transport, `POST ${maps}`, { metadata: { name: "x" } });
    deepEqual(JSON.stringify(created.body.data), '{"filled":"yes"}');
    const refused = await send(transport, `DELETE ${maps}/x`);
    deepEqual([refused.status, refused.body.message], [403, 'configmaps "x" is forbidden: confirm first']);
    const config = await send(transport, `POST ${maps}/x/adminkubeconfig`, { spec: { expirationSeconds: 600 } });
    deepEqual([config.status, JSON.stringify(config.body.status)], [201, '{"of":"x"}']);
    equal((await send(transport, `POST ${maps}/x/constructor`, {})).status, 404);
  });

  test("keeps objects and keys in a data directory", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "apiserver-"));
    try {
      const first = await start({ dataDir });
      await send(first.transport, `POST ${maps}`, { metadata: { name: "kept" } });
      await first.stop();
      const second = await start({ dataDir });
      equal((await send(second.transport, `GET ${maps}/kept`)).status, 200);
      equal(second.caCertificate, first.caCertificate);
      await second.stop();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test("gives itself a new authority before the one in its data directory ends, and keeps the key of tokens", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "apiserver-"));
    const dayMs = 86_400_000;
    const keep = async (daysLeft: number): Promise<{ certificate: string; tokenKey: string }> => {
      const { certificate, key } = await createAuthority(Date.now() + daysLeft * dayMs);
      const keys = { certificate, key, tokenKey: new TokenSigner().pem };
      writeFileSync(join(dataDir, "keys.json"), JSON.stringify(keys));
      return keys;
    };
    try {
      for (const [daysLeft, isKept] of [
        [-1, false],
        [29, false],
        [31, true],
      ] as const) {
        const { certificate, tokenKey } = await keep(daysLeft);
        const server = await start({ dataDir });
        const kept = JSON.parse(readFileSync(join(dataDir, "keys.json"), "utf8")) as { tokenKey: string };
        deepEqual([server.caCertificate === certificate, kept.tokenKey === tokenKey], [isKept, true], `${daysLeft}`);
        await server.stop();
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test("tells the cluster of a new authority at the next start, and writes nothing at the one after", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "apiserver-"));
    const secrets = "/api/v1/namespaces/default/secrets";
    const root = `${maps}/kube-root-ca.crt`;
    const encode = (text: string): string => Buffer.from(text).toString("base64");
    const dataOf = ({ data }: AnyObject): Record<string, string> => (data ?? {}) as Record<string, string>;
    try {
      const first = await start({ dataDir });
      await until(
        first.transport,
        "/api/v1/namespaces/default/serviceaccounts/default",
        ({ kind }) => kind !== "Status",
      );
      await send(first.transport, `POST ${secrets}`, {
        metadata: { name: "t", annotations: { "kubernetes.io/service-account.name": "default" } },
        type: "kubernetes.io/service-account-token",
      });
      const filled = await until(first.transport, `${secrets}/t`, (secret) => "token" in dataOf(secret));
      await first.stop();

      const keys = { ...(await createAuthority()), tokenKey: new TokenSigner().pem };
      writeFileSync(join(dataDir, "keys.json"), JSON.stringify(keys));
      const second = await start({ dataDir });
      const ca = second.caCertificate;
      notEqual(ca, first.caCertificate);
      const told = await until(second.transport, root, (map) => dataOf(map)["ca.crt"] === ca);
      const renewed = await until(
        second.transport,
        `${secrets}/t`,
        (secret) => dataOf(secret)["ca.crt"] === encode(ca),
      );
      equal(dataOf(renewed).token, dataOf(filled).token);
      await second.stop();

      const third = await start({ dataDir });
      await send(third.transport, `POST ${maps}`, { metadata: { name: "later" } });
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      for (const [path, before] of [
        [root, told],
        [`${secrets}/t`, renewed],
      ] as const) {
        equal(
          (await send(third.transport, `GET ${path}`)).body.metadata.resourceVersion,
          before.metadata.resourceVersion,
        );
      }
      await third.stop();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test("allows by role what RBAC says, and nothing else", async () => {
    const server = await start({ authorizationMode: "RBAC" });
    const { transport } = server;
    const jane = server.transportFor({ user: "jane" });
    equal((await send(jane, `GET ${maps}`)).status, 403);
    await send(transport, "POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
      metadata: { name: "v" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "User", name: "jane" }],
    });
    equal((await send(jane, `GET ${maps}`)).status, 200);
    equal((await send(jane, "GET /api/v1/namespaces/default/secrets")).status, 403);
  });

  test("lets an account list and watch the one object that a rule names", async () => {
    const server = await start({ authorizationMode: "RBAC" });
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await send(server.transport, `POST ${rbac}/roles`, {
      metadata: { name: "one" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"], resourceNames: ["mine"] }],
    });
    await send(server.transport, `POST ${rbac}/rolebindings`, {
      metadata: { name: "one" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "one" },
      subjects: [{ kind: "User", name: "jane" }],
    });
    const jane = server.transportFor({ user: "jane" });
    const status = async (query: string) => (await send(jane, `GET ${maps}?${query}`)).status;
    equal(await status("fieldSelector=metadata.name%3Dmine"), 200);
    equal(await status("fieldSelector=metadata.namespace%3Ddefault%2Cmetadata.name%3D%3Dmine"), 200);
    equal(await status("fieldSelector=metadata.name%3Dyours"), 403);
    equal(await status("fieldSelector=metadata.name%21%3Dmine"), 403);
    equal(await status(""), 403);
  });

  test("takes no name for any other verb from a field selector", async () => {
    const server = await start({ authorizationMode: "RBAC" });
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const verbs = ["create", "deletecollection"];
    await send(server.transport, `POST ${rbac}/roles`, {
      metadata: { name: "one" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs, resourceNames: ["mine"] }],
    });
    await send(server.transport, `POST ${rbac}/rolebindings`, {
      metadata: { name: "one" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "one" },
      subjects: [{ kind: "User", name: "jane" }],
    });
    const jane = server.transportFor({ user: "jane" });
    const query = "fieldSelector=metadata.name%3Dmine";
    equal((await send(jane, `POST ${maps}?${query}`, { metadata: { name: "yours" } })).status, 403);
    equal((await send(jane, `DELETE ${maps}?${query}`)).status, 403);
  });

  test("refuses bodies that are too deep or too long", async () => {
    const { transport } = await start();
    const deep = await transport({ method: "POST", path: maps, headers: {}, body: "[".repeat(100_000) });
    const long = await transport({ method: "POST", path: maps, headers: {}, body: " ".repeat(4 * 1024 * 1024) });
    deepEqual([deep.status, long.status], [400, 413]);
  });

  test("refuses requests after it was stopped", async () => {
    const server = await start();
    await server.stop();
    await rejects(send(server.transport, "GET /healthz"), /stopped/);
  });
});

describe("webhooks", () => {
  async function webhookServer(
    answer: (request: AnyObject) => object,
  ): Promise<{ url: string; caBundle: string; close: () => void }> {
    const authority = await createAuthority();
    const { certificate, key } = await authority.issueServer("127.0.0.1");
    const server = createServer({ cert: certificate, key }, (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", () => {
          const { request } = JSON.parse(Buffer.concat(chunks).toString()) as { request: AnyObject };
          outgoing.end(
            JSON.stringify({
              apiVersion: "admission.k8s.io/v1",
              kind: "AdmissionReview",
              response: { uid: request.uid, ...answer(request) },
            }),
          );
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return {
      url: `https://127.0.0.1:${port}/`,
      caBundle: Buffer.from(authority.certificate).toString("base64"),
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    };
  }
  const configuration = (clientConfig: object, more: object = {}): object => ({
    metadata: { name: "hook" },
    webhooks: [
      {
        name: "hook.example.com",
        clientConfig,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        ...more,
      },
    ],
  });
  const path = (kind: string): string => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;

  test("change and refuse writes", async () => {
    const { transport } = await start();
    const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/data", value: { by: "hook" } }])).toString("base64");
    const mutating = await webhookServer(() => ({
      allowed: true,
      patchType: "JSONPatch",
      patch,
      warnings: ["careful"],
    }));
    const validating = await webhookServer((request) => ({
      allowed: (request.object as AnyObject).metadata.name !== "bad",
      status: { message: "bad name", code: 403 },
    }));
    await send(
      transport,
      `POST ${path("mutating")}`,
      configuration({ url: mutating.url, caBundle: mutating.caBundle }),
    );
    await send(
      transport,
      `POST ${path("validating")}`,
      configuration({ url: validating.url, caBundle: validating.caBundle }),
    );
    const good = await send(transport, `POST ${maps}`, { metadata: { name: "good" } });
    equal(JSON.stringify(good.body.data), '{"by":"hook"}');
    const bad = await send(transport, `POST ${maps}`, { metadata: { name: "bad" } });
    deepEqual(
      [bad.status, bad.body.message],
      [403, 'admission webhook "hook.example.com" denied the request: bad name'],
    );
    mutating.close();
    validating.close();
  });

  test("that can't be reached fail the write, or not, as their policy says", async () => {
    const { transport } = await start();
    const service = { service: { namespace: "x", name: "nobody" } };
    await send(transport, `POST ${path("validating")}`, configuration(service));
    const failed = await send(transport, `POST ${maps}`, { metadata: { name: "x" } });
    equal(failed.status, 500);
    match(
      String(failed.body.message),
      /failed calling webhook "hook\.example\.com".*no endpoints available for service "nobody"/,
    );
    await send(transport, `PUT ${path("validating")}/hook`, configuration(service, { failurePolicy: "Ignore" }));
    equal((await send(transport, `POST ${maps}`, { metadata: { name: "x" } })).status, 201);
  });
});
