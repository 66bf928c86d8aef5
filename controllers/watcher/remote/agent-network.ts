import type { AnyObject } from "@kyma-operators/kube";
import { names } from "../../../apis/operator/names.ts";
import { networkPolicyNames } from "../../../apis/operator/watcher.ts";

const [toApiServer, fromSeed, toDns, fromMetrics] = networkPolicyNames;

/** What the agent may talk to, and who to it, on clusters that refuse everything else. */
export function networkPolicies(kcpPort: number): readonly AnyObject[] {
  return [
    policy(fromMetrics, "Ingress", [{ ports: ports(2112, "TCP") }]),
    policy(fromSeed, "Ingress", [
      {
        from: [
          {
            namespaceSelector: { matchLabels: { "gardener.cloud/purpose": "kube-system" } },
            podSelector: { matchLabels: { app: "vpn-shoot" } },
          },
        ],
      },
    ]),
    policy(toApiServer, "Egress", [{ ports: ports(kcpPort, "TCP") }]),
    policy(toDns, "Egress", [
      {
        ports: ports(53, "UDP", "TCP"),
        to: [{ ipBlock: { cidr: "0.0.0.0/0" } }, podsOf("node-local-dns"), podsOf("kube-dns")],
      },
      { ports: ports(8053, "UDP", "TCP"), to: [podsOf("kube-dns")] },
    ]),
  ];
}

function policy(name: string, type: "Ingress" | "Egress", rules: readonly object[]): AnyObject {
  const app = { app: names.webhook };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, labels: app },
    spec: { podSelector: { matchLabels: app }, policyTypes: [type], [type.toLowerCase()]: rules },
  };
}

function ports(port: number, ...protocols: readonly string[]): readonly object[] {
  return protocols.map((protocol) => ({ port, protocol }));
}

function podsOf(app: string): object {
  return {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
    podSelector: { matchLabels: { "k8s-app": app } },
  };
}
