import {
  type Client,
  clusterFromKubeconfig,
  createClient,
  createHttpTransport,
  systemClock,
} from "@kyma-operators/kube";

interface Opened {
  readonly revision: string;
  readonly client: Client;
}

/** Clients of remote clusters by key, shared by all controllers of the process. */
export class RemoteClients {
  readonly #userAgent: string;
  readonly #opened = new Map<string, Opened>();

  constructor(userAgent: string) {
    this.#userAgent = userAgent;
  }

  open(key: string, revision: string, kubeconfig: () => string): Client {
    const known = this.#opened.get(key);
    if (known?.revision === revision) return known.client;
    const client = createClient({
      transport: createHttpTransport(clusterFromKubeconfig(kubeconfig())),
      clock: systemClock,
      userAgent: this.#userAgent,
    });
    this.evict(key);
    this.#opened.set(key, { revision, client });
    return client;
  }

  evict(key: string): void {
    const known = this.#opened.get(key);
    this.#opened.delete(key);
    void known?.client.close();
  }

  async close(): Promise<void> {
    const clients = [...this.#opened.values()].map(({ client }) => client);
    this.#opened.clear();
    await Promise.all(clients.map((client) => client.close()));
  }
}
