import { type ObjectKey, serverFromKubeconfig } from "@kyma-operators/kube";
import type { Store } from "@kyma-operators/runtime";
import { labels } from "../../../apis/operator/labels.ts";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { names } from "../../../apis/operator/names.ts";
import { type AccessSecret, accessSecretsOf } from "./clusters.ts";

/** The cluster that the Manifests themselves live in. */
const ownCluster = "local";
/** Its address as every pod knows it. */
const ownAddress = /^https:\/\/kubernetes\.default(\.svc(\.cluster\.local)?)?(:443)?$/;

/** Which Manifests put their objects on the same cluster, whichever Kyma and Secret leads there; told by the stores alone. */
export class Peers {
  readonly #manifests: Store<Manifest>;
  readonly #secrets: Store<AccessSecret>;

  /**
   * @param manifests - with the indexes `kyma` and `local` ({@link localOnly}).
   * @param secrets - with the indexes `kyma` and `cluster` ({@link clustersOf}).
   */
  constructor(manifests: Store<Manifest>, secrets: Store<AccessSecret>) {
    this.#manifests = manifests;
    this.#secrets = secrets;
  }

  get(key: ObjectKey): Manifest | undefined {
    return this.#manifests.get(key);
  }

  /** Names the cluster of a Manifest: the same text for all its peers. A Kyma without access stands for itself. */
  clusterOf(manifest: Manifest): string {
    const kyma = kymaKeyOf(manifest);
    return kyma === undefined ? ownCluster : (this.#clusterOfKyma(kyma) ?? `${kyma.namespace}/${kyma.name}`);
  }

  /** The Manifests for the cluster of this one, itself among them. */
  of(manifest: Manifest): readonly Manifest[] {
    const kyma = kymaKeyOf(manifest);
    const cluster = kyma === undefined ? ownCluster : this.#clusterOfKyma(kyma);
    return kyma !== undefined && cluster === undefined ? this.#ofKyma(kyma) : this.on(cluster ?? ownCluster);
  }

  /** The Manifests for a cluster, as {@link clustersOf} names it. */
  on(cluster: string): readonly Manifest[] {
    const ofKymas = this.#secrets
      .byIndex("cluster", cluster)
      .flatMap((secret) => this.#kymasBy(secret))
      .flatMap((kyma) => this.#ofKyma(kyma));
    return cluster === ownCluster ? [...ofKymas, ...this.#manifests.byIndex("local", ownCluster)] : ofKymas;
  }

  #ofKyma({ namespace, name }: ObjectKey): readonly Manifest[] {
    return this.#manifests.byIndex("kyma", name).filter(({ metadata }) => metadata.namespace === namespace);
  }

  #clusterOfKyma(kyma: ObjectKey): string | undefined {
    const way = this.#wayOf(kyma);
    return way === undefined ? undefined : clustersOf(way)[0];
  }

  #wayOf(kyma: ObjectKey): AccessSecret | undefined {
    return accessSecretsOf(this.#secrets, kyma).find((secret) => clustersOf(secret).length > 0);
  }

  /** The Kymas whose way to their cluster a Secret is: the first of theirs that leads anywhere. */
  #kymasBy(secret: AccessSecret): readonly ObjectKey[] {
    const { namespace = "", name = "", labels: own } = secret.metadata;
    const names = new Set([own?.[labels.kymaName] ?? "", name]);
    const kymas = [...names].map((kyma) => ({ namespace, name: kyma }));
    return kymas.filter((kyma) => this.#wayOf(kyma) === secret);
  }
}

function kymaKeyOf({ metadata: { namespace = "", labels: own } }: Manifest): ObjectKey | undefined {
  const name = own?.[labels.kymaName] ?? "";
  return name === "" ? undefined : { namespace, name };
}

/** For the index `local`: Manifests of no Kyma. */
export function localOnly({ metadata }: Manifest): readonly string[] {
  return (metadata.labels?.[labels.kymaName] ?? "") === "" ? [ownCluster] : [];
}

/** An index asks for its value when an object comes and when it goes. */
const known = new WeakMap<AccessSecret, readonly string[]>();

/** For the index `cluster`: where an access Secret leads to. Content that is no kubeconfig stands for itself. */
export function clustersOf(secret: AccessSecret): readonly string[] {
  const encoded = secret.data?.[names.accessSecretKey];
  if (encoded === undefined) return [];
  const present = known.get(secret);
  if (present !== undefined) return present;
  const found = [clusterBehind(encoded)];
  known.set(secret, found);
  return found;
}

function clusterBehind(encoded: string): string {
  try {
    const server = serverFromKubeconfig(Buffer.from(encoded, "base64").toString("utf8"));
    return ownAddress.test(server) ? ownCluster : server;
  } catch {
    return encoded;
  }
}
