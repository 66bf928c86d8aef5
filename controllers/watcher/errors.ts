import { defineErrors } from "@kyma-operators/errors";

/** Failures around the watcher: its objects, its certificates, its listener. */
export const watcherErrors = defineErrors("WATCHER", {
  /** A Watcher or its Gateways do not give a VirtualService. */
  INVALID: { retry: "on-change", text: (d: { problem: string }) => d.problem },
  /** No Gateway carries the labels that the Watcher asks for. */
  GATEWAY_NOT_FOUND: {
    retry: "backoff",
    text: (d: { watcher: string; namespace: string }) =>
      `no Istio Gateway in ${d.namespace} matches the selector of Watcher ${d.watcher}`,
  },
  /** Nobody can tell where agents have to send their events. */
  ADDRESS: { retry: "on-change", text: (d: { problem: string }) => d.problem },
  /** The issuer cannot be asked for the certificate of a Kyma; set its annotation `skr-domain` to the runtime's domain. */
  CERTIFICATE: { retry: "on-change", text: (d: { problem: string }) => d.problem },
  /** The Deployment of the agent cannot be made. */
  AGENT: {
    retry: "on-change",
    text: (d: { problem: string }) => `failed to configure Deployment resource: ${d.problem}`,
  },
  /** The agent does not start on the remote cluster. */
  AGENT_BACKOFF: {
    retry: "backoff",
    text: (d: { pod: string; reason: string }) => `pod ${d.pod} is in backoff state: ${d.reason}`,
  },
  /** The agent's process lacks what its Deployment should have given it. */
  AGENT_ENVIRONMENT: {
    retry: "never",
    text: (d: { problem: string }) => `environment of the watcher agent: ${d.problem}`,
  },
  ROOT_MISSING: {
    retry: "backoff",
    text: (d: { secret: string }) =>
      `the root CA Secret ${d.secret} is missing; the issuer of the watcher CA creates it`,
  },
  /** A Secret with certificates holds something else. */
  SECRET_INVALID: {
    retry: "on-change",
    text: (d: { secret: string; problem: string }) => `Secret ${d.secret}: ${d.problem}`,
  },
});
