import { deepEqual, equal, throws } from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, test } from "@jest/globals";
import { systemClock } from "@kyma-operators/kube";
import { createMetrics, silentLogger } from "@kyma-operators/runtime";
import { Agent as HttpsAgent, request } from "undici";
import { issueAgentCertificate, issueRoot } from "../certificates/built-in-ca.ts";
import type { TlsData } from "../certificates/gateway-secret.ts";
import { eventHandler, eventServer, type ListenerMode } from "../listener/listener.ts";
import { listenerMetrics } from "../listener/metrics.ts";
import { eventFor, parseReview } from "./admission.ts";
import { createAgent } from "./agent.ts";
import { agentSettings } from "./settings.ts";

const now = Date.now();
const period = { fromMs: now - 60_000, toMs: now + 86_400_000 };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: ReturnType<typeof eventServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

async function startListener(mode: ListenerMode, tls?: TlsData) {
  const events: string[] = [];
  let wake = (): void => undefined;
  const metrics = listenerMetrics(createMetrics());
  const onEvent = (runtimeId: string): void => {
    events.push(runtimeId);
    wake();
  };
  const handler = eventHandler({ mode, manager: "lifecycle-manager", clock: systemClock, metrics, onEvent });
  const port = await listen(eventServer(handler, tls));
  const arrived = async (): Promise<void> => {
    if (events.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { port, events, arrived };
}

const review = (change: object): string =>
  JSON.stringify({
    request: {
      uid: "u",
      kind: { group: "operator.kyma-project.io", version: "v1beta2", kind: "Kyma" },
      operation: "UPDATE",
      name: "default",
      namespace: "kyma-system",
      object: { spec: { channel: "fast" } },
      oldObject: { spec: { channel: "regular" } },
      ...change,
    },
  });

describe("the way of an event", () => {
  test("a change on the remote cluster reaches the listener over mTLS, with the runtime as its sender (E166, E192, U139)", async () => {
    const root = await issueRoot(["127.0.0.1"], period);
    const own = await issueAgentCertificate(root, { commonName: "rt-1", dnsNames: ["localhost"] }, period);
    const listener = await startListener("direct", root);
    const agent = createAgent({
      kcpAddress: `127.0.0.1:${listener.port}`,
      tls: own,
      clock: systemClock,
      log: silentLogger,
      metrics: createMetrics(),
    });
    const port = await listen(agent.server);
    const dispatcher = new HttpsAgent({ connect: { ca: root.crt, servername: "localhost" } });
    const answer = await request(`https://127.0.0.1:${port}/validate/lifecycle-manager`, {
      dispatcher,
      method: "POST",
      body: review({}),
    });
    deepEqual(await answer.body.json(), {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: "u", allowed: true },
    });
    await listener.arrived();
    deepEqual(listener.events, ["rt-1"]);
    await dispatcher.close();
  });

  test("a certificate of another CA is refused before anything is read (U139)", async () => {
    const [root, foreign] = [await issueRoot(["127.0.0.1"], period), await issueRoot(["127.0.0.1"], period)];
    const own = await issueAgentCertificate(foreign, { commonName: "rt-1", dnsNames: ["localhost"] }, period);
    const listener = await startListener("direct", root);
    const dispatcher = new HttpsAgent({ connect: { ca: root.crt, cert: own.crt, key: own.key } });
    const answer = request(`https://127.0.0.1:${listener.port}/v2/lifecycle-manager/event`, {
      dispatcher,
      method: "POST",
      body: "{}",
    });
    await answer.then(
      () => throws(() => undefined),
      () => undefined,
    );
    deepEqual(listener.events, []);
    await dispatcher.close();
  });
});

describe("the listener behind Istio", () => {
  async function ask(
    port: number,
    options: { method?: string; path?: string; body?: string; certificate?: string },
  ): Promise<number> {
    const { method = "POST", path = "/v2/lifecycle-manager/event", body = "{}", certificate } = options;
    const headers =
      certificate === undefined
        ? {}
        : { "x-forwarded-client-cert": `Hash=1;Cert="${encodeURIComponent(certificate)}"` };
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method: method as "POST",
      headers,
      ...(method === "GET" ? {} : { body }),
    });
    await answer.body.dump();
    return answer.statusCode;
  }

  test("answers each kind of bad request by its own code, and hands on nothing (U138, U139)", async () => {
    const root = await issueRoot(["a"], period);
    const certificate = (await issueAgentCertificate(root, { commonName: "rt-1", dnsNames: [] }, period)).crt;
    const { port, events } = await startListener("istio");
    equal(await ask(port, { method: "GET", certificate }), 405);
    equal(await ask(port, { path: "/v2/other/event", certificate }), 404);
    equal(await ask(port, {}), 401);
    equal(await ask(port, { certificate: "no certificate" }), 401);
    equal(await ask(port, { certificate, body: "no json" }), 500);
    equal(await ask(port, { certificate, body: "x".repeat(20_000) }), 413);
    deepEqual(events, []);
    equal(await ask(port, { certificate }), 200);
    deepEqual(events, ["rt-1"]);
  });

  test("whom an event is about is said by the certificate, whatever the body says", async () => {
    const root = await issueRoot(["a"], period);
    const certificate = (await issueAgentCertificate(root, { commonName: "rt-1", dnsNames: [] }, period)).crt;
    const nobody = (await issueAgentCertificate(root, { commonName: "", dnsNames: [] }, period)).crt;
    const { port, events } = await startListener("istio");
    const body = JSON.stringify({ runtimeId: "rt-2", owner: { namespace: "kcp-system", name: "other" } });
    equal(await ask(port, { certificate, body }), 200);
    equal(await ask(port, { certificate: nobody, body }), 400);
    deepEqual(events, ["rt-1"]);
  });

  test("one sender cannot take all of the listener", async () => {
    const root = await issueRoot(["a"], period);
    const certificate = (await issueAgentCertificate(root, { commonName: "loud", dnsNames: [] }, period)).crt;
    const quiet = (await issueAgentCertificate(root, { commonName: "quiet", dnsNames: [] }, period)).crt;
    const { port } = await startListener("istio");
    const answers: number[] = [];
    for (let i = 0; i < 40; i += 1) answers.push(await ask(port, { certificate }));
    equal(answers.includes(429), true);
    equal(await ask(port, { certificate: quiet }), 200);
  });
});

describe("what is worth an event", () => {
  const cases = [
    { name: "a changed spec", change: {}, worth: true },
    { name: "an unchanged spec", change: { oldObject: { spec: { channel: "fast" } } }, worth: false },
    { name: "a creation", change: { operation: "CREATE", oldObject: null }, worth: true },
    { name: "a deletion", change: { operation: "DELETE", object: null }, worth: true },
    { name: "a dry run", change: { dryRun: true }, worth: false },
    { name: "the spec, seen by the status subresource", change: { subResource: "status" }, worth: false },
  ];
  for (const { name, change, worth } of cases) {
    test(`${name}: ${worth ? "yes" : "no"} (I120)`, () => {
      const parsed = parseReview(review(change));
      equal(parsed !== undefined && eventFor(parsed) !== undefined, worth);
    });
  }

  test("what is no review is not read as one", () => {
    for (const text of ["", "[]", "{}", '{"request":5}', '{"request":{"uid":5}}']) equal(parseReview(text), undefined);
  });
});

describe("the environment of an agent", () => {
  const env = { TLS_CERT: "c", TLS_KEY: "k", CA_CERT: "a", KCP_ADDR: "h:1", KCP_CONTRACT: "v2" };
  test("names what is missing, and falls back to the usual ports (U140)", () => {
    throws(() => agentSettings({ ...env, KCP_ADDR: "" }), /KCP_ADDR not set/);
    throws(() => agentSettings({ ...env, KCP_CONTRACT: "v1" }), /only v2 is spoken/);
    equal(agentSettings({ ...env, WEBHOOK_PORT: "none" }).webhookPort, 8443);
  });
});
