import { LRUCache } from "lru-cache";
import type { CredentialSource, RegistryClient } from "oras-js";

const maxClients = 100;

/** Registry clients by credentials: equal credentials share connections and tokens. */
export class RegistryClients {
  readonly #make: (credentials: CredentialSource) => RegistryClient;
  readonly #clients: LRUCache<CredentialSource, RegistryClient>;

  constructor(make: (credentials: CredentialSource) => RegistryClient) {
    this.#make = make;
    this.#clients = new LRUCache({ max: maxClients, dispose: (client) => void client.close() });
  }

  for(credentials: CredentialSource): RegistryClient {
    const known = this.#clients.get(credentials);
    if (known !== undefined) return known;
    const made = this.#make(credentials);
    this.#clients.set(credentials, made);
    return made;
  }
}
