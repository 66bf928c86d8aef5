import { deepEqual, equal, ok } from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { openPage, startChromium } from "../../testing/chromium.ts";
import { LocalWorld } from "../local-world.ts";

let world: LocalWorld;
let browser: Browser;
let url: string;
beforeAll(async () => {
  [world, browser] = await Promise.all([LocalWorld.start(), startChromium()]);
  await world.ready();
  url = await world.dashboard();
}, 180_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
}, 30_000);

describe("the dashboard of the local world", () => {
  test("has the address that is printed when everything is Ready", () => {
    ok(world.output().includes(url), world.output());
  });

  test("shows an upgrade of a module while it happens, with the events of the operator", async () => {
    const { page, complaints, origins } = await openPage(browser);
    await page.goto(url);
    await page.getByText("Everything is Ready.").waitFor();
    await page.getByRole("link", { name: "demo", exact: true }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.locator(".timeline li", { hasText: "ShootCreationCompleted" }).first().waitFor();
    const greeter = page.locator("tbody tr", { has: page.getByRole("rowheader", { name: "greeter" }) });
    await greeter.getByText("regular · 1.0.0").waitFor();
    const patch = '{"spec":{"channel":"fast"}}';
    const args = ["-n", "kyma-system", "patch", "kyma", "default", "--type=merge", "-p", patch];
    const { code, stderr } = await world.kubectl("runtime-demo", ...args);
    equal(code, 0, stderr);
    await greeter.getByText("fast · 1.1.0").waitFor({ timeout: 60_000 });
    await greeter.getByText("Ready").waitFor({ timeout: 60_000 });
    deepEqual(complaints, []);
    deepEqual([...origins], [new URL(url).origin]);
  }, 120_000);
});
