import { hasCode } from "@kyma-operators/errors";
import { builtIn, type Client, type KubeObject } from "@kyma-operators/kube";
import { connectivityProblem, keyOf, keyText, type Store } from "@kyma-operators/runtime";
import type { Kyma } from "../../../apis/operator/kyma.ts";
import { labels } from "../../../apis/operator/labels.ts";
import { names } from "../../../apis/operator/names.ts";
import { kymaErrors } from "../errors.ts";
import type { RemoteClients, RemoteCluster } from "../options.ts";

const { secrets } = builtIn;

/** Index of Secrets by the Kyma whose cluster they lead to. */
export const byKyma = "access-to-kyma";

/** A Secret with its data in base64. */
export interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

const accessProblems: ReadonlySet<string | undefined> = new Set(["unauthorized", "tls", "dns", "connection"]);

/** True for failures after which only new credentials or another address can help; what merely takes long may pass. */
export function needsNewClient(error: unknown): boolean {
  return accessProblems.has(connectivityProblem(error)) || hasCode(error, "KUBE_FORBIDDEN");
}

/** Finds the remote cluster of a Kyma by its access Secret. */
export class AccessSecrets {
  readonly #client: Client;
  readonly #store: Store<Secret>;
  readonly #clients: RemoteClients;

  constructor(client: Client, store: Store<Secret>, clients: RemoteClients) {
    this.#client = client;
    this.#store = store;
    this.#clients = clients;
  }

  /** The remote cluster. Throws `KYMA_ACCESS_SECRET_…`, and `KUBE_KUBECONFIG` for content that cannot be used. */
  async connect(kyma: Kyma): Promise<RemoteCluster> {
    const secret = this.#secretOf(kyma);
    const key = keyText(keyOf(secret));
    const revision = `${secret.metadata.uid ?? ""}/${secret.metadata.resourceVersion ?? ""}`;
    const client = await this.#clients.open(key, revision, () => kubeconfigOf(secret));
    return { id: `${key}@${revision}`, client };
  }

  /** Forgets the client, so that the next connect starts anew. */
  evict(kyma: Kyma): void {
    for (const secret of this.#secretsOf(kyma)) this.#clients.evict(keyText(keyOf(secret)));
  }

  /**
   * True when there is no access Secret: the cluster is gone for good. Asks the API server itself, because what
   * follows cannot be undone and the store may lag behind.
   */
  async isGone(kyma: Kyma, signal: AbortSignal): Promise<boolean> {
    if (this.#secretsOf(kyma).length > 0) return false;
    const { name = "", namespace = "" } = kyma.metadata;
    const labelSelector = `${labels.kymaName}=${name}`;
    const found = await this.#client.list(secrets, { namespace, labelSelector, metadataOnly: true, signal });
    return found.items.length === 0;
  }

  #secretOf(kyma: Kyma): Secret {
    const { name = "", namespace = "" } = kyma.metadata;
    const found = this.#secretsOf(kyma);
    const [secret, second] = found;
    if (secret === undefined) throw kymaErrors.ACCESS_SECRET_MISSING({ kyma: name, namespace });
    if (second === undefined) return secret;
    throw kymaErrors.ACCESS_SECRET_AMBIGUOUS({ kyma: name, names: found.map(({ metadata }) => metadata.name ?? "") });
  }

  #secretsOf({ metadata }: Kyma): readonly Secret[] {
    const labelled = this.#store.byIndex(byKyma, metadata.name ?? "");
    return labelled.filter((secret) => secret.metadata.namespace === metadata.namespace);
  }
}

function kubeconfigOf({ metadata, data }: Secret): string {
  const encoded = data?.[names.accessSecretKey] ?? "";
  if (encoded !== "") return Buffer.from(encoded, "base64").toString("utf8");
  const problem = `expected a kubeconfig under the key ${names.accessSecretKey}, found none`;
  throw kymaErrors.ACCESS_SECRET_INVALID({ secret: `${metadata.namespace ?? ""}/${metadata.name ?? ""}`, problem });
}
