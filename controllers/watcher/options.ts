import type { CertificateSettings } from "./certificates/certificate.ts";

/** Settings of everything around the watcher; the flags of the same meaning have the upstream names. */
export interface WatcherSettings {
  /** Where Watchers and Kymas live. */
  readonly namespace: string;
  readonly gateway: { readonly name: string; readonly namespace: string };
  /** Empty: the port of the gateway. */
  readonly portOverwrite: string;
  readonly certificates: CertificateSettings;
  readonly agent: {
    readonly image: string;
    readonly args?: readonly string[];
    readonly pullSecret?: string;
    readonly cpuLimit: string;
    readonly memoryLimit: string;
    readonly godebug: string;
  };
  readonly rotation: { readonly graceMs: number; readonly expiryWindowMs: number };
  /** Of the root CA that this process issues itself. */
  readonly root: { readonly durationMs: number; readonly renewBeforeMs: number };
  /** Tolerance before a certificate that was not renewed in time is shown as overdue. */
  readonly renewBufferMs: number;
  readonly requeueMs: { readonly watcher: number; readonly gatewaySecret: number };
  readonly backoff: { readonly firstMs: number; readonly maxMs: number };
  readonly concurrency: number;
}
