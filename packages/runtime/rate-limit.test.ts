import { deepEqual, equal, rejects } from "node:assert/strict";
import { test } from "@jest/globals";
import { type TransportRequest, transportFrom } from "@kyma-operators/kube";
import { FakeClock } from "../../testing/index.ts";
import { limitRate } from "./rate-limit.ts";

const get: TransportRequest = { method: "GET", path: "/", headers: {} };

function limited() {
  const clock = new FakeClock();
  const start = clock.now();
  const sent: number[] = [];
  const inner = transportFrom(async () => {
    sent.push(clock.now() - start);
    return { status: 200, headers: {}, body: (async function* () {})() };
  });
  return { clock, sent, transport: limitRate(inner, { clock, perSecond: 10, burst: 2 }) };
}

test("requests beyond the burst start at the given rate", async () => {
  const { clock, sent, transport } = limited();
  for (let i = 0; i < 4; i++) void transport.request(get);
  await clock.until(() => sent.length === 4);
  deepEqual(sent, [0, 0, 100, 200]);
});

test("a request that is given up while it waits is not sent", async () => {
  const { clock, sent, transport } = limited();
  await transport.request(get);
  await transport.request(get);
  const gaveUp = new AbortController();
  const waiting = transport.request({ ...get, signal: gaveUp.signal });
  gaveUp.abort(new Error("too late"));
  await rejects(waiting, /too late/);
  await clock.advance(1_000);
  equal(sent.length, 2);
});

test("a lease is renewed at once, however many requests wait", async () => {
  const { clock, sent, transport } = limited();
  for (let i = 0; i < 4; i++) void transport.request(get);
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/mine";
  void transport.request({ ...get, method: "PUT", path });
  await clock.until(() => sent.length === 5);
  deepEqual(sent, [0, 0, 0, 100, 200]);
});

test("a clock that is set back makes no request wait longer", async () => {
  const { clock, sent, transport } = limited();
  for (let i = 0; i < 2; i++) void transport.request(get);
  clock.jump(-3_600_000);
  for (let i = 0; i < 2; i++) void transport.request(get);
  await clock.advance(200);
  equal(sent.length, 4);
});
