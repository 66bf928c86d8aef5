import type { KubeObject, Resource } from "@kyma-operators/kube";

/** The parts of Istio's API that the watcher uses, as plain custom resources. */
export const gateways: Resource = {
  group: "networking.istio.io",
  version: "v1",
  kind: "Gateway",
  plural: "gateways",
  namespaced: true,
};

export const virtualServices: Resource = { ...gateways, kind: "VirtualService", plural: "virtualservices" };

export interface Gateway extends KubeObject {
  spec?: {
    readonly servers?: readonly { readonly hosts?: readonly string[]; readonly port?: { readonly number?: number } }[];
  };
}

export interface VirtualService extends KubeObject {
  spec: {
    readonly gateways: readonly string[];
    readonly hosts: readonly string[];
    readonly http: readonly object[];
  };
}
