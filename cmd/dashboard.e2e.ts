import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "@jest/globals";
import { Secret } from "@kyma-operators/errors";
import { type KubeObject, systemClock } from "@kyma-operators/kube";
import { silentLogger } from "@kyma-operators/runtime";
import type { Browser, Page } from "playwright-core";
import { type Dashboard, type DashboardOptions, serveDashboard } from "../dashboard/index.ts";
import { accessibilityProblems, openPage, startChromium, type WatchedPage } from "../testing/chromium.ts";
import { FakeClock, type FleetWorld, kymaObject, sampleFleet, startFleetWorld } from "../testing/index.ts";

const dayMs = 86_400_000;
const token = "a-token-of-some-length";
let world: FleetWorld;
let browser: Browser;
const dashboards: Dashboard[] = [];

beforeAll(async () => {
  const clock = new FakeClock();
  world = await startFleetWorld(clock, systemClock);
  for (const { daysOld, objects } of sampleFleet()) {
    clock.jump(Date.now() - daysOld * dayMs - clock.now());
    await world.put(...objects);
  }
  clock.jump(Date.now() - clock.now());
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  await Promise.all(dashboards.splice(0).map((dashboard) => dashboard.close()));
});

async function serve(options: Partial<DashboardOptions> = {}): Promise<Dashboard> {
  const dashboard = await serveDashboard({
    bind: "127.0.0.1:0",
    sources: world.informers,
    namespace: "kcp-system",
    version: "1.2.3",
    clock: systemClock,
    log: silentLogger,
    ...options,
  });
  dashboards.push(dashboard);
  return dashboard;
}

const live = (page: Page) => page.waitForSelector('#connection[data-state="live"]');

async function visit(path = "/", options = {}): Promise<WatchedPage & { dashboard: Dashboard }> {
  const dashboard = await serve();
  const watched = await openPage(browser, options);
  await watched.page.goto(new URL(path, dashboard.url).href);
  await live(watched.page);
  return { ...watched, dashboard };
}

/** A Kyma with one module, as the controllers leave it. */
function kyma(name: string, state: string, message = ""): KubeObject {
  const module = { name: "istio", state, channel: "regular", version: "1.0.0", message };
  return {
    ...kymaObject(name, { channel: "regular" }),
    status: { state, conditions: [], modules: [module], lastOperation: { operation: message } },
  } as KubeObject;
}

const rowOf = (page: Page, name: string) =>
  page.locator("tbody tr").filter({ has: page.getByRole("link", { name, exact: true }) });

/** What has the focus, by its id or text. */
const focused = (page: Page) =>
  page.evaluate<string>("document.activeElement?.id || document.activeElement?.textContent?.trim() || ''");

describe("the page in a real browser", () => {
  test("shows the fleet without a complaint and without anything from elsewhere", async () => {
    const { page, complaints, origins, dashboard } = await visit();
    equal(await page.locator("tbody tr").count(), 7);
    await page.getByRole("link", { name: "billing-eu-prod" }).click();
    await live(page);
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    deepEqual(complaints, []);
    deepEqual([...origins], [new URL(dashboard.url).origin]);
  });

  test("shows a change of a module within a moment, and keeps what the reader is doing", async () => {
    const { page, complaints } = await visit();
    await page.getByLabel("Filter", { exact: true }).pressSequentially("search");
    await page.waitForURL(/q=search/);
    const link = page.getByRole("link", { name: "search-us-stage" });
    await link.focus();
    await world.put(kyma("search-us-stage", "Error", "the image can't be pulled") as never);
    await rowOf(page, "search-us-stage").getByText("istio: the image can't be pulled").waitFor({ timeout: 5_000 });
    equal(await rowOf(page, "search-us-stage").locator(".badge").textContent(), "Error");
    equal(await focused(page), "search-us-stage");
    equal(await page.getByLabel("Filter", { exact: true }).inputValue(), "search");
    await world.put(kyma("search-us-stage", "Ready") as never);
    await rowOf(page, "search-us-stage").getByText("Ready").waitFor({ timeout: 5_000 });
    deepEqual(complaints, []);
  });

  test("a Kyma's page follows its Kyma, also into its deletion", async () => {
    await world.put(kyma("short-lived", "Processing", "waiting for the layer") as never);
    const { page } = await visit("/kymas/short-lived");
    await page.getByText("istio: waiting for the layer").waitFor();
    equal(await page.title(), "short-lived (Processing) – Kyma");
    await world.put(kyma("short-lived", "Ready") as never);
    await page.locator(".title .tone-ready").waitFor({ timeout: 5_000 });
    await world.remove(kyma("short-lived", "Ready"));
    await page.getByText("There is no Kyma of this name").waitFor({ timeout: 5_000 });
  });

  test("shows texts of hostile objects as texts", async () => {
    const canary = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;
    await world.put(kyma("hostile", "Error", canary) as never);
    const { page, complaints } = await visit("/?q=hostile");
    await page.getByText(`istio: ${canary}`).waitFor();
    await page.getByRole("link", { name: "hostile" }).click();
    await live(page);
    await page.getByText(`istio: ${canary}`).first().waitFor();
    await world.put(kyma("hostile", "Warning", `${canary}!`) as never);
    await page.locator("main").getByText(`${canary}!`).first().waitFor({ timeout: 5_000 });
    equal(await page.locator("main img, main script").count(), 0);
    equal(await page.title(), "hostile (Warning) – Kyma");
    deepEqual(complaints, []);
    await world.remove(kyma("hostile", "Error"));
  });

  test("ages tick by themselves", async () => {
    await world.put(kyma("newborn", "Processing", "just created") as never);
    const { page } = await visit("/?q=newborn");
    const age = page.locator("td time");
    const before = (await age.textContent()) ?? "";
    await age.filter({ hasNotText: before }).waitFor();
    match((await age.textContent()) ?? "", /^\d+s$/);
    match((await age.getAttribute("title")) ?? "", /^Created \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    await world.remove(kyma("newborn", "Ready"));
  });
});

describe("by keyboard alone", () => {
  test("a reader skips to the list, filters, sorts, and opens a Kyma", async () => {
    const { page } = await visit();
    await page.keyboard.press("Tab");
    equal(await focused(page), "Skip to content");
    await page.keyboard.press("Enter");
    equal(await focused(page), "main");
    await page.keyboard.press("/");
    equal(await focused(page), "q");
    await page.keyboard.type("prod");
    await page.waitForURL(/q=prod/);
    await page.locator("tbody tr").nth(4).waitFor({ state: "detached" });
    equal(await focused(page), "q");
    await page.getByRole("link", { name: "Name" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/sort=name/);
    await page.locator('th[aria-sort="ascending"]').getByText("Name").waitFor();
    equal(await focused(page), "Name");
    await page.keyboard.press("Enter");
    await page.locator('th[aria-sort="descending"]').waitFor();
    await page.goBack();
    await page.locator('th[aria-sort="ascending"]').getByText("Name").waitFor();
    await rowOf(page, "checkout-us-prod").getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "checkout-us-prod" }).waitFor();
  });

  test("whatever has the focus shows it", async () => {
    const { page } = await visit();
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press("Tab");
      const style = "getComputedStyle(document.activeElement)";
      const outline = await page.evaluate<string>(`${style}.outlineStyle + " " + ${style}.outlineWidth`);
      match(outline, /^(solid|auto) [1-9]/, await focused(page));
    }
  });
});

describe("for every reader", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const path of ["/", "/?kind=modules&q=nothing", "/kymas/billing-eu-prod", "/kymas/absent"]) {
      test(`${path} in ${colorScheme} has no problem that axe-core finds`, async () => {
        const { page } = await visit(path, { colorScheme });
        deepEqual(await accessibilityProblems(page), []);
      });
    }
  }

  test("the colours follow the system", async () => {
    const ground = async (colorScheme: "light" | "dark"): Promise<string> => {
      const { page } = await visit("/", { colorScheme });
      return page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
    };
    notEqual(await ground("light"), await ground("dark"));
  });

  test("nothing is cut off on a narrow screen", async () => {
    for (const path of ["/", "/?kind=manifests", "/kymas/billing-eu-prod"]) {
      const { page } = await visit(path, { viewport: { width: 360, height: 700 } });
      const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      ok(excess <= 0, `${path} is ${excess} px too wide`);
      deepEqual(await accessibilityProblems(page), []);
    }
  });

  test("without JavaScript it is a plain document that can be filtered", async () => {
    const dashboard = await serve();
    const { page } = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(dashboard.url);
    await page.locator(".notice").waitFor();
    await page.getByLabel("Filter", { exact: true }).fill("billing");
    await page.getByRole("button", { name: "Apply" }).click();
    equal(await page.locator("tbody tr").count(), 1);
  });
});

describe("when the operator goes away", () => {
  test("the page says so, keeps what it shows, and comes back by itself", async () => {
    const { page, dashboard } = await visit("/?q=billing");
    const { port } = new URL(dashboard.url);
    await dashboard.close();
    await page.getByText(/^Disconnected\. This is the state of/).waitFor();
    equal(await page.locator("tbody tr").count(), 1);
    await serve({ bind: `127.0.0.1:${port}` });
    await page.getByRole("button", { name: "Try now" }).click();
    await live(page);
    equal(await page.getByRole("button", { name: "Try now" }).count(), 0);
  });
});

describe("outside loopback", () => {
  test("the token opens the page, by the form as by the header; nothing else does", async () => {
    const dashboard = await serve({ bind: "0.0.0.0:0", token: async () => new Secret(token) });
    const { port } = new URL(dashboard.url);
    const url = `http://127.0.0.1:${port}/`;
    const { page } = await openPage(browser);
    equal((await page.goto(url))?.status(), 401);
    deepEqual(await accessibilityProblems(page), []);
    equal(await focused(page), "token");
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("This is not the token of this dashboard.").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await live(page);
    equal(await page.locator("tbody tr").count(), 7);
    const other = await openPage(browser, { extraHTTPHeaders: { authorization: `Bearer ${token}` } });
    equal((await other.page.goto(url))?.status(), 200);
  });
});
