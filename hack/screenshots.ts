/** Takes the pictures of the dashboard in docs/images, of a sample fleet in a real browser. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { builtIn, systemClock } from "@kyma-operators/kube";
import { silentLogger } from "@kyma-operators/runtime";
import { byRegarding, type ClusterEvent, regardingOf, serveDashboard } from "../dashboard/index.ts";
import { openPage, startChromium } from "../testing/chromium.ts";
import { FakeClock, sampleFleet, startFleetWorld } from "../testing/index.ts";

const folder = join(import.meta.dirname, "../docs/images");
const shots = [
  { name: "dashboard-fleet", path: "/" },
  { name: "dashboard-kyma", path: "/kymas/billing-eu-prod" },
];

const clock = new FakeClock();
const world = await startFleetWorld(clock, systemClock);
for (const { daysOld, objects } of sampleFleet()) {
  clock.jump(Date.now() - daysOld * 86_400_000 - clock.now());
  await world.put(...objects);
}
const events = world.context.informer<ClusterEvent>(builtIn.coreEvents, { indexes: { [byRegarding]: regardingOf } });
const dashboard = await serveDashboard({
  bind: "127.0.0.1:0",
  sources: { ...world.informers, events },
  namespace: "kcp-system",
  version: "0.1.0",
  clock: systemClock,
  log: silentLogger,
});
const browser = await startChromium();
await mkdir(folder, { recursive: true });
for (const colorScheme of ["light", "dark"] as const) {
  for (const { name, path } of shots) {
    const { page } = await openPage(browser, { colorScheme, viewport: { width: 1200, height: 820 } });
    await page.goto(new URL(path, dashboard.url).href);
    await page.waitForSelector('#connection[data-state="live"]');
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
}
await browser.close();
await dashboard.close();
await world.stop();
