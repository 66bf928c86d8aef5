import { hasCode } from "@kyma-operators/errors";
import type { Client, KubeObject } from "@kyma-operators/kube";
import { connectivityProblem, type Store } from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import { names } from "../../apis/operator/names.ts";
import { kymaErrors } from "./errors.ts";
import type { RemoteCluster, RemoteClusters } from "./options.ts";
import { secrets } from "./resources.ts";

/** Index of the store of access Secrets: by the name of their Kyma. */
export const byKyma = "kyma";

/** Which objects are access Secrets: those with the label, whatever its value. */
export const accessSecretSelector = labels.kymaName;

const accessProblems: ReadonlySet<string | undefined> = new Set(["unauthorized", "tls", "dns", "connection"]);

/** True for failures after which only new credentials or another address can help; what merely takes long may pass. */
export function needsNewClient(error: unknown): boolean {
  return accessProblems.has(connectivityProblem(error)) || hasCode(error, "KUBE_FORBIDDEN");
}

/** Finds the remote cluster of a Kyma by its access Secret. Only metadata of the Secrets is kept in memory. */
export class AccessSecrets {
  readonly #client: Client;
  readonly #store: Store<KubeObject>;
  readonly #clusters: RemoteClusters;

  constructor(client: Client, store: Store<KubeObject>, clusters: RemoteClusters) {
    this.#client = client;
    this.#store = store;
    this.#clusters = clusters;
  }

  /**
   * The client of the remote cluster. Sends a request only when the Secret is new or has changed. Throws
   * `KYMA_ACCESS_SECRET_…`, and `KUBE_KUBECONFIG` for content that cannot be used.
   */
  async connect(kyma: Kyma, signal: AbortSignal): Promise<RemoteCluster> {
    const secret = this.#secretOf(kyma);
    const revision = `${secret.metadata.uid ?? ""}/${secret.metadata.resourceVersion ?? ""}`;
    return this.#clusters.connect(clusterKeyOf(kyma), revision, async () => this.#kubeconfig(secret, signal));
  }

  /** Forgets the client, so that the next connect starts anew. */
  evict(kyma: Kyma): void {
    this.#clusters.evict(clusterKeyOf(kyma));
  }

  /**
   * True when there is no access Secret: the cluster is gone for good. Asks the API server itself, because what
   * follows cannot be undone and the store may lag behind.
   */
  async isGone(kyma: Kyma, signal: AbortSignal): Promise<boolean> {
    const { name = "", namespace = "" } = kyma.metadata;
    if (this.#store.byIndex(byKyma, name).length > 0) return false;
    const labelSelector = `${labels.kymaName}=${name}`;
    const found = await this.#client.list(secrets, { namespace, labelSelector, metadataOnly: true, signal });
    return found.items.length === 0;
  }

  #secretOf(kyma: Kyma): KubeObject {
    const { name = "", namespace = "" } = kyma.metadata;
    const found = this.#store.byIndex(byKyma, name);
    const [secret, second] = found;
    if (secret === undefined) throw kymaErrors.ACCESS_SECRET_MISSING({ kyma: name, namespace });
    if (second === undefined) return secret;
    throw kymaErrors.ACCESS_SECRET_AMBIGUOUS({ kyma: name, names: found.map(({ metadata }) => metadata.name ?? "") });
  }

  async #kubeconfig({ metadata }: KubeObject, signal: AbortSignal): Promise<string> {
    const { name = "", namespace = "" } = metadata;
    const secret = await this.#client.get({ resource: secrets, namespace, name }, { signal });
    const encoded = (secret["data"] as Record<string, unknown> | undefined)?.[names.accessSecretKey];
    if (typeof encoded === "string" && encoded !== "") return Buffer.from(encoded, "base64").toString("utf8");
    const problem = `expected a kubeconfig under the key ${names.accessSecretKey}, found none`;
    throw kymaErrors.ACCESS_SECRET_INVALID({ secret: `${namespace}/${name}`, problem });
  }
}

function clusterKeyOf({ metadata }: Kyma): string {
  return `${metadata.name ?? ""}|${metadata.namespace ?? ""}`;
}
