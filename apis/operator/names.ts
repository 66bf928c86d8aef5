/** Names of objects and namespaces that are the same in every installation. */
export const names = {
  controlPlaneNamespace: "kcp-system",
  remoteNamespace: "kyma-system",
  remoteKyma: "default",
  istioNamespace: "istio-system",
  gatewaySecret: "klm-istio-gateway",
  rootCaSecret: "klm-watcher",
  gateway: "klm-watcher",
  webhook: "skr-webhook",
  webhookTls: "skr-webhook-tls",
  webhookMetrics: "skr-webhook-metrics",
  webhookPriority: "skr-webhook-priority",
  installName: "raw-manifest",
  /** Key of the kubeconfig in an access Secret. */
  accessSecretKey: "config",
  /** Variable in which a module's manager finds the name of the image pull Secret. */
  pullSecretVariable: "SKR_IMG_PULL_SECRET",
} as const;

/** Name of the watcher certificate of a Kyma and of its Secret. */
export function webhookCertificateName(kymaName: string): string {
  return `${kymaName}-webhook-tls`;
}
