import { isObject, type Shoot } from "@kyma-operators/gardener";
import { formatYaml, parseYaml } from "@kyma-operators/yaml";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../../apiserver/index.ts";
import { entriesAt } from "./validation/json.ts";

/** The API servers of the Shoots, by `namespace/name`. */
export class ShootClusters {
  readonly #servers = new Map<string, Promise<ApiServer>>();
  /** What takes real time whatever the clock says: servers that start, keys that are made. */
  readonly #working = new Set<Promise<unknown>>();
  readonly #optionsFor: (shoot: Shoot) => ApiServerOptions;

  constructor(optionsFor: (shoot: Shoot) => ApiServerOptions) {
    this.#optionsFor = optionsFor;
  }

  /** Starts the server of a Shoot unless it runs. */
  ensure(shoot: Shoot): Promise<ApiServer> {
    const key = keyOf(shoot);
    const running = this.#servers.get(key);
    if (running !== undefined) return running;
    const starting = this.#track(startApiServer(this.#optionsFor(shoot)));
    this.#servers.set(key, starting);
    return starting;
  }

  get(key: string): Promise<ApiServer> | undefined {
    return this.#servers.get(key);
  }

  /** A kubeconfig with one cluster, context and user per advertised address; the first is current. */
  kubeconfig(request: KubeconfigRequest): Promise<string> {
    return this.#track(shootKubeconfig(request));
  }

  /** Resolves when no server starts and no kubeconfig is being made. */
  async settled(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
  }

  get isWorking(): boolean {
    return this.#working.size > 0;
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const ended = work.finally(() => this.#working.delete(ended));
    this.#working.add(ended);
    return ended;
  }

  async remove(key: string): Promise<void> {
    const server = this.#servers.get(key);
    this.#servers.delete(key);
    await (await server)?.stop();
  }

  async stop(): Promise<void> {
    await Promise.allSettled([...this.#servers.keys()].map((key) => this.remove(key)));
  }
}

/** How maps and scripts name a Shoot. */
export function keyOf({
  metadata,
}: {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

export interface KubeconfigRequest {
  readonly shoot: Shoot;
  readonly server: ApiServer;
  readonly user: string;
  readonly groups: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

async function shootKubeconfig({ shoot, server, ...access }: KubeconfigRequest): Promise<string> {
  const own = parseYaml(await server.kubeconfig(access));
  const [cluster] = entriesOf(own, "clusters");
  const [account] = entriesOf(own, "users");
  const base = `${shoot.metadata.namespace ?? ""}--${shoot.metadata.name ?? ""}`;
  const names = (shoot.status?.advertisedAddresses ?? []).map(({ name, url }) => ({ name: `${base}-${name}`, url }));
  return formatYaml({
    apiVersion: "v1",
    kind: "Config",
    "current-context": names[0]?.name,
    clusters: names.map(({ name, url }) => ({ name, cluster: { ...objectOf(cluster?.["cluster"]), server: url } })),
    contexts: names.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    users: names.map(({ name }) => ({ name, user: account?.["user"] })),
  });
}

function entriesOf(config: unknown, key: string): readonly AnyRecord[] {
  return entriesAt(config, key).map(([, entry]) => entry);
}

type AnyRecord = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): AnyRecord {
  return isObject(value) ? value : {};
}
