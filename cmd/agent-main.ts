import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { systemClock } from "@kyma-operators/kube";
import { createLogger, createMetrics, metricsPages, serveOperations } from "@kyma-operators/runtime";
import { agentSettings, createAgent } from "../controllers/watcher/index.ts";

/** Runs this image as the watcher agent of a remote cluster, until it is told to stop. */
export async function runAgent(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { files, kcpAddress, metricsPort, webhookPort } = agentSettings(env);
  const [crt = "", key = "", ca = ""] = await Promise.all(
    [files.crt, files.key, files.ca].map(async (file) => readFile(file, "utf8")),
  );
  const [log, metrics] = [createLogger("info"), createMetrics()];
  metrics.gauge("watcher_fips_mode", "0 while FIPS mode is off").set({}, 0);
  const agent = createAgent({ kcpAddress, tls: { crt, key, ca }, clock: systemClock, log, metrics });
  agent.server.listen(webhookPort);
  await once(agent.server, "listening");
  const pages = await serveOperations(`:${metricsPort}`, metricsPages(metrics));
  log.info({ kcpAddress, webhookPort }, "the watcher agent is started");
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  await agent.close();
  await pages.close();
}
