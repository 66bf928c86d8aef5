import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { memoryDirectory } from "../../../testing/index.ts";
import { RenderCache, type RenderTier } from "./cache.ts";
import type { Rendering } from "./rendering.ts";

const never = new AbortController().signal;

describe("RenderCache", () => {
  const rendering = (name: string): Rendering => ({
    objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }],
    hooks: [],
  });
  const render = (name: string, count: { renders: number }) => async () => {
    count.renders += 1;
    return rendering(name);
  };

  test("renders once however many ask at once (16.2-9, U075, U077)", async () => {
    const count = { renders: 0 };
    const cache = new RenderCache();
    await Promise.all(Array.from({ length: 10 }, () => cache.get("a".repeat(32), render("x", count), never)));

    equal(count.renders, 1);
  });

  test("finds what an earlier process rendered, and renders what is damaged again (M7, fault 47)", async () => {
    const directory = memoryDirectory();
    const count = { renders: 0 };
    const tiers: RenderTier[] = [];
    const lookUp = async (): Promise<Rendering> => {
      const cache = new RenderCache({ directory, onLookup: (tier) => tiers.push(tier) });
      return cache.get("a".repeat(32), render("x", count), never);
    };
    await lookUp();
    deepEqual(await lookUp().then(({ objects }) => objects[0]?.metadata.name), "x");
    for (const name of directory.files.keys()) directory.files.set(name, Buffer.from("damaged"));
    await lookUp();

    deepEqual(tiers, ["rendered", "disk", "rendered"]);
    equal(count.renders, 2);
  });

  test("failures are not kept, and the memory is bounded (16.2-10, fault 2)", async () => {
    const cache = new RenderCache({ memoryBytes: 1 });
    await rejects(
      cache.get("a", async () => Promise.reject(new Error("no")), never),
      /no/,
    );
    const count = { renders: 0 };
    await cache.get("a", render("x", count), never);
    await cache.get("a", render("x", count), never);
    equal(count.renders, 2);
  });

  test("the folder stays within its limit", async () => {
    const directory = memoryDirectory();
    const cache = new RenderCache({ directory, diskBytes: 400 });
    for (let index = 0; index < 20; index += 1) await cache.get(`k${index}`, async () => rendering(`n${index}`), never);
    const total = [...directory.files.values()].reduce((sum, { length }) => sum + length, 0);

    equal(total <= 800, true, `${total} bytes`);
  });
});
