import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { textOf } from "@kyma-operators/errors";
import { type Client, systemClock } from "@kyma-operators/kube";
import {
  CloudProfiles,
  type LandscapeFiles,
  serveRuntimeWebhook,
  type WebhookServer,
} from "../../controllers/runtime/index.ts";
import { runtimeLease, type Wiring } from "./wiring.ts";

const renewalMs = 60_000;

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** Serves the validating webhook of Runtimes; it needs no lease, every replica answers. */
export async function wireWebhook(wiring: Wiring, gardener: Client, landscape: LandscapeFiles): Promise<void> {
  const { manager, flags } = wiring;
  const folder = flags["webhook-cert-dir"];
  const profiles = new CloudProfiles(gardener, () => landscape.current.config, systemClock);
  const { projectName } = landscape.current.config.converter.gardener;
  const pair = await readPair(folder);
  const server = await serveRuntimeWebhook({
    ...addressOf(flags["webhook-bind-address"]),
    ...pair,
    context: { projectName, profileFor: (runtime) => profiles.profileFor(runtime) },
  });
  wiring.onClose(() => server.close());
  const follow = (signal: AbortSignal): Promise<void> => followPair(wiring, { server, pair, signal });
  manager.context(runtimeLease).addRunnable("webhook-certificate", follow, { needsLease: false });
}

function addressOf(bind: string): { readonly host: string; readonly port: number } {
  const [, host = "", port] = /^(\[[^\]]+\]|[^:]*):(\d{1,5})$/.exec(bind) ?? [];
  if (port === undefined) throw new Error(`webhook-bind-address: expected host:port or :port, found "${bind}"`);
  return { host: host === "" ? "0.0.0.0" : host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

async function readPair(folder: string): Promise<Pair> {
  const [certificate, key] = await Promise.all(
    ["tls.crt", "tls.key"].map((name) => readFile(join(folder, name), "utf8")),
  );
  return { certificate: certificate ?? "", key: key ?? "" };
}

interface Following {
  readonly server: WebhookServer;
  readonly pair: Pair;
  readonly signal: AbortSignal;
}

/** Certificates are renewed under a running process; one that can't be read leaves the last good one in use. */
async function followPair({ flags, log }: Wiring, { server, pair, signal }: Following): Promise<void> {
  const folder = flags["webhook-cert-dir"];
  let used = pair.certificate;
  while (!signal.aborted) {
    await systemClock.sleep(renewalMs, signal).catch(() => undefined);
    try {
      const next = await readPair(folder);
      if (next.certificate !== used) server.renew(next.certificate, next.key);
      used = next.certificate;
    } catch (error) {
      log.error({ folder, error: textOf(error) }, "the webhook keeps its certificate");
    }
  }
}
