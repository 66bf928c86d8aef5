import type { AnyObject } from "@kyma-operators/kube";
import { formatYaml } from "@kyma-operators/yaml";
import { moduleValuesKey, moduleValuesLabel, moduleValuesName } from "../../apis/operator/module-values.ts";
import { names } from "../../apis/operator/names.ts";
import type { ModuleValues } from "../../modules/module-values.ts";
import type { ClusterFacts } from "./cluster-type.ts";
import type { TlsPair } from "./values.ts";

/** What modules find on the runtime: its domain, and the certificate for it. */
const runtimeConfig = { configMap: "kyma-runtime", secret: "kyma-runtime-tls" } as const;

/** Additions to the configuration of the cluster's DNS server, and ours among them. */
export const localNamesKey = { name: "coredns-custom", namespace: "kube-system" } as const;
export const localNamesEntry = "kyma.override";

/** Where istio listens for requests from outside. */
const ingressGateway = "istio-ingressgateway.istio-system.svc.cluster.local";

export interface ConfigurationInput {
  readonly namespace: string;
  readonly kymaName: string;
  readonly cluster: ClusterFacts;
  /** Given by a flag; wins over the cluster's own. */
  readonly domain: string | undefined;
  readonly tls: TlsPair | undefined;
  readonly values: ModuleValues;
}

/** The objects that carry domain, certificate and values to modules. */
export function buildConfiguration(input: ConfigurationInput): readonly AnyObject[] {
  const { cluster, tls, values } = input;
  const domain = input.domain ?? cluster.domain;
  const runtime = [
    ...(domain === undefined ? [] : [domainConfigMap(domain)]),
    ...(tls === undefined ? [] : [tlsSecret(tls)]),
  ];
  return [
    ...(runtime.length === 0 ? [] : [runtimeNamespace, ...runtime]),
    ...(Object.keys(values).length === 0 ? [] : [valuesSecret(input)]),
    ...(cluster.type === "k3d" && input.domain === undefined ? [localNames(cluster.domain ?? "")] : []),
  ];
}

const runtimeNamespace: AnyObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: names.remoteNamespace },
};

function domainConfigMap(domain: string): AnyObject {
  const metadata = { name: runtimeConfig.configMap, namespace: names.remoteNamespace };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { domain } };
}

/** The certificate of the runtime's domain, as modules find it. */
export function tlsSecret({ crt, key }: TlsPair): AnyObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: { name: runtimeConfig.secret, namespace: names.remoteNamespace },
    data: { "tls.crt": base64(crt), "tls.key": base64(key) },
  };
}

function valuesSecret({ namespace, kymaName, values }: ConfigurationInput): AnyObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "Opaque",
    metadata: { name: moduleValuesName(kymaName), namespace, labels: { [moduleValuesLabel]: kymaName } },
    data: { [moduleValuesKey]: base64(formatYaml(values)) },
  };
}

/** Inside the cluster, names of the local domain lead to the gateway. The server reads such additions by itself. */
function localNames(domain: string): AnyObject {
  const pattern = domain.replaceAll(".", "\\.");
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: localNamesKey,
    data: { [localNamesEntry]: `rewrite name regex (.*)\\.${pattern} ${ingressGateway}\n` },
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
