import type { MetricsRegistry } from "@kyma-operators/runtime";
import type { AgentCertificate } from "./certificates/store.ts";

/** Shows Kymas whose certificate should have been issued by the newest CA and was not. */
export class OverdueCertificates {
  readonly #gauge: ReturnType<MetricsRegistry["gauge"]>;
  readonly #shown = new Set<string>();

  constructor(registry: MetricsRegistry) {
    const help = "1 while a certificate was not renewed in time after a change of the CA";
    this.#gauge = registry.gauge("lifecycle_mgr_self_signed_cert_not_renew", help, ["kyma_name"]);
  }

  /** @param dueMs - certificates from before this moment are overdue; 0 while none is. */
  show(kyma: string, certificate: AgentCertificate | undefined, dueMs: number): void {
    const overdue = certificate !== undefined && dueMs > 0 && certificate.validity.notBeforeMs < dueMs - 60_000;
    if (!overdue) return this.remove(kyma);
    this.#gauge.set({ kyma_name: kyma }, 1);
    this.#shown.add(kyma);
  }

  remove(kyma: string): void {
    if (this.#shown.delete(kyma)) this.#gauge.remove({ kyma_name: kyma });
  }
}

/** Shows that the certificate of the gateway ends soon. */
export function gatewayExpiryMetric(registry: MetricsRegistry): (closeToExpiry: boolean) => void {
  const help = "1 while the server certificate of the gateway is about to end";
  const gauge = registry.gauge("lifecycle_mgr_gateway_secret_server_cert_close_to_expiry", help);
  return (closeToExpiry) => gauge.set({}, closeToExpiry ? 1 : 0);
}
