import { deepEqual, equal, ok } from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, test } from "@jest/globals";
import { FakeClock, patiently } from "../testing/index.ts";
import { LiveViews } from "./live-views.ts";

/** More than the buffers of a connection hold. */
const huge = "x".repeat(16 * 1024 * 1024);

let clock: FakeClock;
let server: Server;
let live: LiveViews;
let content: string;
let rendered: string[];
beforeEach(async () => {
  clock = new FakeClock();
  content = "first";
  rendered = [];
  const render = (path: string): string => {
    rendered.push(path);
    return content;
  };
  live = new LiveViews({ clock, render, mostViewers: 10 });
  server = createServer((request, response) => void live.add(request.url ?? "", response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  live.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Opens a stream that is read from `resume` on. */
async function open(path: string): Promise<{ socket: Socket; messages: () => readonly string[] }> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let text = "";
  socket.on("error", () => undefined).setEncoding("utf8");
  socket.on("data", (chunk: string) => (text += chunk));
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const before = live.size;
  await patiently(clock, () => live.size > before);
  return { socket, messages: () => [...text.matchAll(/^data: (.{0,20})/gm)].map(([, data]) => data ?? "") };
}

describe("live views", () => {
  test("render once for all viewers of a path, and not at all without viewers", async () => {
    live.changed();
    await clock.advance(10_000);
    deepEqual(rendered, []);
    const viewers = [await open("/a"), await open("/a"), await open("/b")];
    rendered = [];
    content = "second";
    for (let index = 0; index < 50; index++) live.changed();
    await clock.advance(1000);
    deepEqual(rendered, ["/a", "/b"]);
    for (const { socket } of viewers) socket.resume();
    await patiently(clock, () => viewers.every(({ messages }) => messages().length === 2));
    for (const { messages, socket } of viewers) {
      deepEqual(messages(), ["first", "second"]);
      socket.destroy();
    }
  });

  test("send nothing when the content is the same", async () => {
    const { socket, messages } = await open("/a");
    socket.resume();
    await patiently(clock, () => messages().length === 1);
    live.changed();
    await clock.advance(60_000);
    deepEqual(messages(), ["first"]);
    socket.destroy();
  });

  test("drop a viewer that takes nothing for 15 seconds", async () => {
    content = huge;
    const { socket } = await open("/a");
    equal(live.size, 1);
    await clock.advance(15_000);
    await patiently(clock, () => live.size === 0);
    socket.destroy();
  });

  test("give a viewer that was slow the newest content only", async () => {
    content = huge;
    const { socket, messages } = await open("/a");
    for (const next of ["second", "third", "fourth"]) {
      content = next;
      live.changed();
      await clock.advance(1000);
    }
    socket.resume();
    await patiently(clock, () => messages().at(-1) === "fourth");
    deepEqual(messages().slice(1), ["fourth"]);
    socket.destroy();
  });

  test("show that they live while nothing changes, and forget who leaves", async () => {
    const { socket } = await open("/a");
    let beats = 0;
    socket.on("data", (text: Buffer | string) => (beats += String(text).split(": alive").length - 1));
    socket.resume();
    await patiently(clock, () => beats >= 2);
    socket.destroy();
    await patiently(clock, () => live.size === 0);
    ok(rendered.length === 1);
  });
});
