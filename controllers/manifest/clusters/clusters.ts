import type { AnyObject, Client, KubeObject, ObjectKey } from "@kyma-operators/kube";
import type { Store } from "@kyma-operators/runtime";
import { LRUCache } from "lru-cache";
import { labels } from "../../../apis/operator/labels.ts";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { names } from "../../../apis/operator/names.ts";
import { manifestErrors } from "../errors.ts";
import { steering } from "../inventory/fingerprint.ts";
import { show, valueAt } from "../json.ts";
import type { Cluster } from "../pass.ts";
import { type ActingAccount, type ActingTokens, actingAccountOf, keyOf, withToken } from "./impersonation.ts";

/** Opens and keeps clients of remote clusters; the runtime's pool. */
export interface RemoteClients {
  /**
   * The client for a kubeconfig. The same key and revision give the same client; another revision closes the old one.
   *
   * @param key - names the cluster.
   * @param revision - changes whenever the credentials may have changed.
   */
  open(key: string, revision: string, kubeconfig: () => string): Client | Promise<Client>;
  /** Forgets the client, so that the next call opens a new one. */
  evict(key: string): void;
}

/** An access Secret as the informer holds it. */
export interface AccessSecret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface ClustersOptions {
  /** The control plane, target of Manifests that are not for a remote cluster. */
  readonly local: Client;
  /** A client of the control plane whose only credential is what this gives; absent: nobody can be acted as there. */
  readonly localWith?: ((token: () => Promise<string>) => Client) | undefined;
  readonly remote: RemoteClients;
  /** Access Secrets; index `kyma` by the label `kyma-name`. */
  readonly secrets: Store<AccessSecret>;
  /** False until the Secrets are completely known: an empty list then says nothing. */
  readonly secretsSynced: () => boolean;
  readonly tokens: ActingTokens;
}

const localId = "local";
const maxLocalAccounts = 1_000;

/** The cluster a Manifest is for (architecture, decision 1). */
export class Clusters {
  readonly #options: ClustersOptions;
  readonly #localActing = new LRUCache<string, Client>({
    max: maxLocalAccounts,
    dispose: (client) => void client.close(),
  });

  constructor(options: ClustersOptions) {
    this.#options = options;
  }

  /** Throws `MANIFEST_ACCESS_SECRET_MISSING`, `MANIFEST_ACCESS_SECRET_AMBIGUOUS`, `MANIFEST_KYMA_NAME_MISSING`. */
  async for(manifest: Manifest): Promise<Cluster> {
    const kyma = kymaNameOf(manifest);
    if (kyma === undefined) {
      const local = actingAccountOf(manifest);
      return local === undefined ? { id: localId, client: this.#options.local } : this.#actingLocallyAs(local);
    }
    const secret = this.#accessSecret({ name: kyma, namespace: manifest.metadata.namespace ?? "" });
    const id = clusterId(secret);
    const client = await this.#options.remote.open(id, revisionOf(secret), () => kubeconfigOf(secret));
    const account = actingAccountOf(manifest);
    return account === undefined ? { id, client } : this.#actingAs(account, { id, client }, secret);
  }

  /** The cluster as one of its ServiceAccounts sees it: a module can do what its account may, and no more. */
  async #actingAs(account: ActingAccount, { id, client }: Cluster, secret: AccessSecret): Promise<Cluster> {
    const revision = revisionOf(secret);
    const { token, serial } = await this.#options.tokens.get(`${id}@${revision}`, client, account);
    const key = keyOf(id, account);
    const acting = await this.#options.remote.open(key, `${revision}/${serial}`, () =>
      withToken(kubeconfigOf(secret), token),
    );
    return { id: key, client: acting, restricted: true };
  }

  async #actingLocallyAs(account: ActingAccount): Promise<Cluster> {
    const { local, localWith, tokens } = this.#options;
    if (localWith === undefined) {
      const problem = "this process can't act as somebody else on its own cluster";
      throw manifestErrors.ANNOTATION_INVALID({ annotation: steering.serviceAccount, problem });
    }
    const id = keyOf(localId, account);
    const issued = () => tokens.get(localId, local, account);
    await issued(); // what keeps us from acting as the account is told here, not by the first request
    const known = this.#localActing.get(id);
    if (known !== undefined) return { id, client: known, restricted: true };
    const client = localWith(async () => (await issued()).token);
    this.#localActing.set(id, client);
    return { id, client, restricted: true };
  }

  /** Drops the client of a Manifest's cluster: its credentials do not work any more, or nobody needs it. */
  evict(manifest: Manifest): void {
    const kyma = kymaNameOf(manifest);
    const account = actingAccountOf(manifest);
    if (kyma === undefined) {
      if (account !== undefined) this.#options.tokens.forget(localId, account);
      return;
    }
    const key = { name: kyma, namespace: manifest.metadata.namespace ?? "" };
    for (const secret of accessSecretsOf(this.#options.secrets, key)) {
      const id = clusterId(secret);
      this.#options.remote.evict(account === undefined ? id : keyOf(id, account));
      if (account !== undefined) this.#options.tokens.forget(`${id}@${revisionOf(secret)}`, account);
    }
  }

  #accessSecret(kyma: ObjectKey): AccessSecret {
    if (!this.#options.secretsSynced()) throw manifestErrors.ACCESS_SECRETS_UNKNOWN({ kyma: kyma.name });
    const found = accessSecretsOf(this.#options.secrets, kyma);
    const [secret, another] = found;
    if (secret === undefined)
      throw manifestErrors.ACCESS_SECRET_MISSING({ kyma: kyma.name, namespace: kyma.namespace });
    if (another !== undefined) {
      const listed = found.map(({ metadata }) => metadata.name ?? "").sort();
      throw manifestErrors.ACCESS_SECRET_AMBIGUOUS({ kyma: kyma.name, secrets: listed.join(", ") });
    }
    return secret;
  }
}

/** Secrets that carry a Kyma's name as label; without any, the Secret of that name. */
export function accessSecretsOf(secrets: Store<AccessSecret>, { name, namespace }: ObjectKey): readonly AccessSecret[] {
  const labelled = secrets.byIndex("kyma", name).filter(({ metadata }) => metadata.namespace === namespace);
  if (labelled.length > 0) return labelled;
  const named = secrets.get({ name, namespace });
  return named === undefined ? [] : [named];
}

/** The Kyma whose cluster is meant; `undefined` when it is the cluster that the Manifest lives in. */
export function kymaNameOf(manifest: Manifest): string | undefined {
  const kyma = manifest.metadata.labels?.[labels.kymaName];
  if (kyma !== undefined && kyma !== "") return kyma;
  if (!manifest.spec.remote) return undefined;
  throw manifestErrors.KYMA_NAME_MISSING({ manifest: manifest.metadata.name ?? "" });
}

function clusterId({ metadata }: AccessSecret): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function revisionOf({ metadata }: AccessSecret): string {
  return `${metadata.uid ?? ""}/${metadata.resourceVersion ?? ""}`;
}

function kubeconfigOf(secret: AccessSecret): string {
  const encoded = valueAt(secret, "data", names.accessSecretKey);
  if (typeof encoded !== "string") {
    throw manifestErrors.ACCESS_SECRET_INVALID({ secret: clusterId(secret), key: names.accessSecretKey });
  }
  return Buffer.from(encoded, "base64").toString("utf8");
}

/** Kyma names of a Secret, for the index `kyma`. */
export function kymaNamesOf(secret: AccessSecret | AnyObject): readonly string[] {
  const name = show(secret.metadata.labels?.[labels.kymaName]);
  return name === "" ? [] : [name];
}
