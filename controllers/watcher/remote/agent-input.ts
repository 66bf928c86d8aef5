import type { Watcher } from "../../../apis/operator/watcher.ts";
import type { KcpAddress } from "../routes/gateway-address.ts";

/** Everything that decides what an agent looks like. */
export interface AgentInput {
  readonly namespace: string;
  readonly image: string;
  /** Arguments of the container; absent where the image is an agent and nothing else. */
  readonly args?: readonly string[];
  readonly pullSecret?: string;
  readonly cpuLimit: string;
  readonly memoryLimit: string;
  /** Passed on to the agent; empty: not set. */
  readonly godebug: string;
  readonly kcp: KcpAddress;
  /** Of the Kyma, PEM. */
  readonly certificate: { readonly crt: string; readonly key: string };
  /** Changes with the certificate; another one restarts the agent. */
  readonly certificateRevision: string;
  /** The CAs of the control plane's gateway, PEM. */
  readonly caBundle: string;
  readonly watchers: readonly Watcher[];
}
