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

/**
 * Tells which Manifests put their objects on the same cluster as a given one, itself among them, whichever Kyma and
 * Secret leads there. The answer comes from the stores alone.
 *
 * @param manifests - with the indexes `kyma` and `local` ({@link localOnly}).
 * @param secrets - with the indexes `kyma` and `cluster` ({@link clustersOf}).
 */
export function peersIn(
  manifests: Store<Manifest>,
  secrets: Store<AccessSecret>,
): (manifest: Manifest) => readonly Manifest[] {
  const local = (): readonly Manifest[] => manifests.byIndex("local", ownCluster);
  const ofKyma = ({ namespace, name }: ObjectKey): readonly Manifest[] =>
    manifests.byIndex("kyma", name).filter(({ metadata }) => metadata.namespace === namespace);
  const kymasOn = (cluster: string): readonly ObjectKey[] => secrets.byIndex("cluster", cluster).map(kymaOf);

  return ({ metadata: { namespace = "", labels: own } }) => {
    const name = own?.[labels.kymaName] ?? "";
    if (name === "") return [...local(), ...kymasOn(ownCluster).flatMap(ofKyma)];
    const [cluster] = accessSecretsOf(secrets, { namespace, name }).flatMap(clustersOf);
    const kymas = cluster === undefined ? [] : kymasOn(cluster);
    const others = kymas.filter((key) => key.name !== name || key.namespace !== namespace);
    return [{ namespace, name }, ...others].flatMap(ofKyma).concat(cluster === ownCluster ? local() : []);
  };
}

/** The Kyma that an access Secret belongs to. */
function kymaOf({ metadata }: AccessSecret): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: metadata.labels?.[labels.kymaName] ?? metadata.name ?? "" };
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
