import { ok } from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "@jest/globals";
import { startApiServer } from "../index.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const closings: Readonly<
  Record<string, (body: AsyncIterable<Uint8Array>, client: AbortController) => Promise<unknown>>
> = {
  "closed before they are read": async (body, client) => {
    client.abort();
    for await (const _ of body) break;
  },
  "left before they are read": async (body) => body[Symbol.asyncIterator]().return?.(),
};

for (const [how, close] of Object.entries(closings)) {
  test(`watches that are ${how} leave nothing behind`, async () => {
    const server = await startApiServer({ listen: false, workload: false });
    const openAndClose = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        const client = new AbortController();
        const path = "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0";
        const { body } = await server.transport({ method: "GET", path, signal: client.signal });
        await close(body, client);
      }
    };
    await openAndClose(1_000);
    const before = heapBytes();
    await openAndClose(8_000);
    const grown = heapBytes() - before;
    await server.stop();
    ok(grown < 6_000_000, `${grown} bytes`);
  }, 60_000);
}
