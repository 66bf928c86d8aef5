import { once } from "node:events";
import type { Server as TlsServer } from "node:https";
import { textOf } from "@kyma-operators/errors";
import type { ObjectKey } from "@kyma-operators/kube";
import {
  type Change,
  type ChannelSource,
  type Informer,
  keyOf,
  type Logger,
  type ManagerContext,
} from "@kyma-operators/runtime";
import { annotations } from "../../../apis/operator/annotations.ts";
import type { Kyma } from "../../../apis/operator/kyma.ts";
import { names } from "../../../apis/operator/names.ts";
import { type Secret, tlsOf } from "../certificates/tls-secret.ts";
import { eventHandler, eventServer, type ListenerMode, serverSecrets } from "./listener.ts";
import { listenerMetrics } from "./metrics.ts";

/** Index of Kymas by the id of their runtime. */
export const byRuntime = "runtime-id";

interface ListenerSettings {
  readonly mode: ListenerMode;
  readonly bind: { readonly host: string; readonly port: number };
  readonly manager: string;
  readonly istioNamespace: string;
}

/** Tells all replicas that the remote cluster of a Kyma has changed. */
export type Relay = (key: ObjectKey) => Promise<void>;

/**
 * Wakes the Kyma whose remote cluster has reported a change. Where Kymas are split over replicas, an event may reach
 * another one than the Kyma's; then it is relayed by a mark on the Kyma, which every replica sees.
 */
export class RemoteEvents implements ChannelSource {
  readonly #wake = new Set<(key: ObjectKey) => void>();
  readonly #kymas: Informer<Kyma>;
  readonly #log: Logger;
  readonly #relay: Relay | undefined;

  constructor(kymas: Informer<Kyma>, log: Logger, relay: Relay | undefined) {
    this.#kymas = kymas;
    this.#log = log;
    this.#relay = relay;
    if (relay !== undefined) kymas.onChange((change) => hasNewMark(change) && this.#wakeAll(keyOf(change.object)));
  }

  subscribe(wake: (key: ObjectKey) => void): () => void {
    this.#wake.add(wake);
    return () => this.#wake.delete(wake);
  }

  /** An event of a runtime. One that belongs to no Kyma, or to several, wakes none. */
  received(runtimeId: string): void {
    const [kyma, second] = this.#kymas.store.byIndex(byRuntime, runtimeId);
    if (kyma === undefined || second !== undefined) {
      this.#log.warn({ runtimeId }, kyma === undefined ? "no instances found" : "multiple Kyma instances found");
      return;
    }
    const key = keyOf(kyma);
    this.#log.info({ ...key }, `event received from SKR, adding ${key.namespace}/${key.name} to queue`);
    if (this.#relay === undefined) return this.#wakeAll(key);
    this.#relay(key).catch((error: unknown) => {
      this.#log.warn({ ...key, error: textOf(error) }, "an event could not be relayed");
      this.#wakeAll(key);
    });
  }

  #wakeAll(key: ObjectKey): void {
    for (const wake of this.#wake) wake(key);
  }
}

function hasNewMark(change: Change<Kyma>): boolean {
  const markOf = ({ metadata }: Kyma): string | undefined => metadata.annotations?.[annotations.remoteChangedAt];
  return change.type === "updated" && markOf(change.old) !== markOf(change.object);
}

/** Serves the endpoint for events until the signal aborts. A rotated certificate is shown without a restart. */
export async function runListener(
  { clock, metrics, log }: Pick<ManagerContext, "clock" | "metrics" | "log">,
  settings: ListenerSettings,
  { events, secrets }: { readonly events: RemoteEvents; readonly secrets: Informer<Secret> },
  signal: AbortSignal,
): Promise<void> {
  const { mode, bind, manager } = settings;
  const onEvent = (runtimeId: string): void => events.received(runtimeId);
  const handler = eventHandler({ mode, manager, clock, metrics: listenerMetrics(metrics), onEvent });
  const isGateway = ({ metadata }: Secret): boolean =>
    metadata.name === names.gatewaySecret && metadata.namespace === settings.istioNamespace;
  const tls = mode === "direct" ? await firstTls(secrets, isGateway, signal) : undefined;
  if (signal.aborted) return;
  const server = eventServer(handler, tls);
  const stopFollowing = secrets.onChange((change) => {
    const next = isGateway(change.object) && change.type !== "deleted" ? tlsOf(change.object) : undefined;
    if (mode === "direct" && next !== undefined) (server as TlsServer).setSecureContext(serverSecrets(next));
  });
  server.on("error", (error) => log.error({ error: textOf(error), ...bind }, "the listener for remote events failed"));
  server.listen(bind.port, bind.host);
  await once(signal, "abort");
  stopFollowing();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** The certificates of the gateway as soon as there are some. */
async function firstTls(secrets: Informer<Secret>, isGateway: (secret: Secret) => boolean, signal: AbortSignal) {
  const present = secrets.store.list().find(isGateway);
  const known = tlsOf(present);
  if (known !== undefined) return known;
  return new Promise<ReturnType<typeof tlsOf>>((resolve) => {
    const stop = secrets.onChange(({ object }) => {
      const found = isGateway(object) ? tlsOf(object) : undefined;
      if (found === undefined) return;
      stop();
      resolve(found);
    });
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
