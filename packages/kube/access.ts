import type { Secret } from "@kyma-operators/errors";

/** Where an API server is and how to prove who asks. Secrets show nothing when they are printed. */
export interface ClusterAccess {
  /** `https://host:port`, with a base path where a proxy serves several clusters. */
  readonly server: string;
  /** PEM of the authorities to trust; absent: those of the system. */
  readonly ca?: string;
  /** Name to expect in the certificate instead of the host. */
  readonly serverName?: string;
  /** PEM; only together with `clientKey`. */
  readonly clientCertificate?: string;
  /** PEM. */
  readonly clientKey?: Secret;
  /** A bearer token, or where to get the current one; called before every request, so it caches by itself. */
  readonly token?: Secret | ((signal?: AbortSignal) => Promise<Secret | undefined>);
  /** Namespace of the context. */
  readonly namespace?: string;
  /** Only people's kubeconfigs may switch verification off; kubeconfigs from data never do. */
  readonly insecureSkipTlsVerify?: boolean;
}
