import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { startApiServer } from "../index.ts";
import { EventStream, eventText, WaitingEvents } from "./event-stream.ts";

const never = new AbortController().signal;

async function read(stream: AsyncIterable<string>): Promise<readonly string[]> {
  const pieces: string[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

describe("EventStream", () => {
  test("sends what waits in pieces, also after its end", async () => {
    const stream = new EventStream(never, new WaitingEvents());
    const text = JSON.stringify("x".repeat(50_000));
    for (let index = 0; index < 10; index += 1) stream.push("ADDED", text);
    stream.end();
    const pieces = await read(stream);
    ok(pieces.length > 1 && pieces.every((piece) => piece.length < 200_000));
    equal(pieces.join("").split("\n").length, 11);
  });

  test("cuts off a client that lets 32 MiB wait", async () => {
    const stream = new EventStream(never, new WaitingEvents());
    let ended = false;
    stream.onEnd(() => (ended = true));
    const text = JSON.stringify("x".repeat(1024 * 1024));
    for (let index = 0; index < 33; index += 1) stream.push("ADDED", text);
    deepEqual([ended, await read(stream)], [true, []]);
  });

  test("starts with however much there is, before all that happens meanwhile", async () => {
    const stream = new EventStream(never, new WaitingEvents(2));
    const text = JSON.stringify("x".repeat(1024 * 1024));
    stream.push("MODIFIED", "1");
    stream.startWith(Array.from({ length: 40 }, () => eventText("ADDED", text)));
    const types: string[] = [];
    for await (const piece of stream) {
      types.push(...piece.split("\n").flatMap((line) => /"type":"([A-Z]+)"/.exec(line)?.slice(1) ?? []));
      if (types.length === 40) stream.push("DELETED", "2");
      if (types.at(-1) === "DELETED") stream.end();
    }
    deepEqual(types, [...Array.from({ length: 40 }, () => "ADDED"), "MODIFIED", "DELETED"]);
  });

  test("keeps nothing of what it has sent to a client that is always a little behind", async () => {
    const stream = new EventStream(never, new WaitingEvents());
    const push = (index: number): void => stream.push("ADDED", JSON.stringify(String(index).padEnd(256 * 1024)));
    const reader = stream[Symbol.asyncIterator]();
    const before = process.memoryUsage().heapUsed;
    push(0);
    for (let index = 1; index < 2_000; index += 1) {
      push(index);
      ok(((await reader.next()).value as string).length > 256 * 1024);
    }
    const grown = process.memoryUsage().heapUsed - before;
    ok(grown < 256 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB`);
  });

  test("cuts off who is behind when all together let too much wait", async () => {
    const all = new WaitingEvents(100);
    const [slow, quick] = [new EventStream(never, all), new EventStream(never, all)];
    const seen: string[] = [];
    const reading = (async () => {
      for await (const piece of quick) seen.push(piece);
    })();
    for (let index = 0; index < 150; index += 1) {
      slow.push("ADDED", String(index));
      quick.push("ADDED", String(index));
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    }
    quick.end();
    await reading;
    deepEqual([(await read(slow)).length, seen.join("").split("\n").length], [0, 151]);
  });
});

test("ten thousand open watches cost little, and the half that never reads disturbs nobody", async () => {
  const server = await startApiServer({ listen: false, workload: false });
  const maps = "/api/v1/namespaces/default/configmaps";
  const watches = 10_000;
  const writes = 20;
  const before = process.memoryUsage().heapUsed;
  const bodies = await Promise.all(
    Array.from({ length: watches }, () =>
      server.transport({ method: "GET", path: `${maps}?watch=true&resourceVersion=1` }),
    ),
  );
  equal(
    bodies.every(({ status }) => status === 200),
    true,
  );
  const reading = bodies
    .filter((_, index) => index % 2 === 0)
    .map(async ({ body }) => {
      let lines = 0;
      for await (const chunk of body) {
        lines += chunk.filter((byte) => byte === 10).length;
        if (lines > writes) return lines;
      }
      return lines;
    });
  const headers = { "content-type": "application/json" };
  for (let index = 0; index < writes; index += 1) {
    const body = JSON.stringify({ metadata: { name: `m${index}` }, data: { text: "x".repeat(1_000) } });
    equal((await server.transport({ method: "POST", path: maps, headers, body })).status, 201);
  }
  const lines = await Promise.all(reading);
  equal(
    lines.every((count) => count > writes),
    true,
  );
  const perWatch = (process.memoryUsage().heapUsed - before) / watches;
  ok(perWatch < 30_000, `${Math.round(perWatch)} bytes per watch`);
  await server.stop();
}, 60_000);

test("a watch that begins with all objects of a large collection is served", async () => {
  const server = await startApiServer({ listen: false, workload: false });
  const maps = "/api/v1/namespaces/default/configmaps";
  const headers = { "content-type": "application/json" };
  const data = { text: "x".repeat(900_000) };
  for (let index = 0; index < 40; index += 1) {
    const body = JSON.stringify({ metadata: { name: `m${index}` }, data });
    equal((await server.transport({ method: "POST", path: maps, headers, body })).status, 201);
  }
  const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const { body } = await server.transport({ method: "GET", path: `${maps}?${query}` });
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    if (text.includes("initial-events-end")) break;
  }
  equal(text.match(/"type":"ADDED"/g)?.length, 41);
  await server.stop();
}, 60_000);
