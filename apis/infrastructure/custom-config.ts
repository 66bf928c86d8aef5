import type { JsonObject, Metadata } from "./meta.ts";

/** Settings that users of a Kyma cluster make on the cluster itself: image registry caches. */
export interface CustomConfig {
  apiVersion: "core.kyma-project.io/v1beta1";
  kind: "CustomConfig";
  metadata: Metadata;
  spec?: { readonly caches?: readonly RegistryCache[] };
  status?: JsonObject;
}

/** One image registry cache. */
export interface RegistryCache {
  /** Host of the registry, for example `docker.io`. */
  readonly upstream: string;
  readonly remoteURL?: string;
  readonly volume?: { readonly size?: string | number; readonly storageClassName?: string };
  /** `ttl` is a Go duration, for example `168h`. */
  readonly garbageCollection?: { readonly ttl: string };
  readonly secretReferenceName?: string;
  readonly proxy?: { readonly httpProxy?: string; readonly httpsProxy?: string };
  readonly http?: { readonly tls?: boolean };
}
