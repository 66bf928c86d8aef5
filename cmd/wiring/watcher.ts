import { textOf } from "@kyma-operators/errors";
import { type Client, systemClock } from "@kyma-operators/kube";
import { connectivityProblem, systemRandom } from "@kyma-operators/runtime";
import { annotations } from "../../apis/operator/annotations.ts";
import { fieldManagers } from "../../apis/operator/finalizers.ts";
import { kymas } from "../../apis/operator/group.ts";
import {
  addWatcherControllers,
  type CertManagement,
  type Gateway,
  gatewayAddress,
  gateways,
  type KcpAddress,
  type Relay,
  type WatcherParts,
  type WatcherSettings,
} from "../../controllers/watcher/index.ts";
import manifest from "../../package.json" with { type: "json" };
import { startErrors } from "../flags/validate.ts";
import { type Flags, kymaLease, type Wiring } from "./wiring.ts";

const dayMs = 86_400_000;

/** Adds the watcher; undefined, with a line in the log, where nobody can tell where agents should send their events. */
export async function wireWatcher({ manager, flags, client, log }: Wiring): Promise<WatcherParts | undefined> {
  const istio = flags["watcher-address"] === "";
  try {
    const address = istio
      ? await addressOfGateway(client, flags)
      : hostAndPort("watcher-address", flags["watcher-address"]);
    return addWatcherControllers(manager.context(kymaLease), {
      settings: settingsOf(flags),
      address,
      istio,
      listener: hostAndPort("kyma-skr-listener-bind-address", flags["kyma-skr-listener-bind-address"]),
      ...(flags.shards > 1 ? { relay: relayBy(client) } : {}),
      random: systemRandom,
    });
  } catch (error) {
    // An outage says nothing about the gateway.
    if (!istio || connectivityProblem(error) !== undefined) throw error;
    const hint =
      "changes on remote clusters are polled; name the listener with --watcher-address or install the gateway";
    log.warn({ error: textOf(error) }, `the watcher is off: ${hint}`);
    return undefined;
  }
}

/** A mark that any replica may put, whoever looks after the Kyma; so it is not the client that asks for a lease. */
function relayBy(client: Client): Relay {
  return async ({ namespace, name }) => {
    const mark = { [annotations.remoteChangedAt]: new Date(systemClock.now()).toISOString() };
    const options = { fieldManager: fieldManagers.lifecycleManager };
    await client.mergePatch({ resource: kymas, namespace, name }, { metadata: { annotations: mark } }, options);
  };
}

async function addressOfGateway(client: Client, flags: Flags): Promise<KcpAddress> {
  const ref = { resource: gateways, namespace: flags["istio-gateway-namespace"], name: flags["istio-gateway-name"] };
  return gatewayAddress(await client.get<Gateway>(ref), flags["listener-port-overwrite"]);
}

function hostAndPort(flag: string, text: string): KcpAddress {
  const [, host, port] = /^(\[[^\]]+\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw startErrors.INVALID_FLAGS({ problems: [`--${flag}: expected host:port, found ${JSON.stringify(text)}`] });
  }
  return { host: host.replaceAll(/^\[|\]$/g, ""), port: Number(port) };
}

function settingsOf(flags: Flags): WatcherSettings {
  return {
    namespace: flags.namespace,
    gateway: { name: flags["istio-gateway-name"], namespace: flags["istio-gateway-namespace"] },
    portOverwrite: flags["listener-port-overwrite"],
    certificates: {
      management: flags["cert-management"] as CertManagement,
      istioNamespace: flags["istio-namespace"],
      syncNamespace: flags["sync-namespace"],
      durationMs: flags["self-signed-cert-duration"],
      renewBeforeMs: flags["self-signed-cert-renew-before"],
      keySize: flags["self-signed-cert-key-size"],
      additionalDnsNames: flags["additional-dns-names"],
      issuer: { name: flags["self-signed-cert-issuer-name"], namespace: flags["self-signed-cert-issuer-namespace"] },
    },
    agent: {
      ...imageOf(flags),
      ...(flags["skr-image-pull-secret"] === "" ? {} : { pullSecret: flags["skr-image-pull-secret"] }),
      cpuLimit: flags["skr-webhook-cpu-limits"],
      memoryLimit: flags["skr-webhook-memory-limits"],
      godebug: process.env["GODEBUG"] ?? "",
    },
    rotation: {
      graceMs: flags["istio-gateway-server-cert-switch-grace-period"],
      expiryWindowMs: flags["istio-gateway-server-cert-expiry-window"],
    },
    root: { durationMs: 90 * dayMs, renewBeforeMs: 61 * dayMs },
    renewBufferMs: flags["self-signed-cert-renew-buffer"],
    requeueMs: {
      watcher: flags["watcher-requeue-success-interval"],
      gatewaySecret: flags["istio-gateway-secret-requeue-success-interval"],
    },
    backoff: { firstMs: flags["failure-base-delay"], maxMs: flags["failure-max-delay"] },
    concurrency: flags["max-concurrent-watcher-reconciles"],
  };
}

/** The published agent where one is named, else this image in the agent's mode. */
function imageOf(flags: Flags): { readonly image: string; readonly args?: readonly string[] } {
  const registry = flags["skr-watcher-image-registry"];
  const tag = flags["skr-watcher-image-tag"];
  const name = flags["skr-watcher-image-name"];
  if (registry !== "" && tag !== "") return { image: `${registry}/${name}:${tag}` };
  return { image: `kyma-operators:${manifest.version}`, args: ["--mode=skr-watcher"] };
}
