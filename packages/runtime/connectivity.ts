import { isAppError } from "@kyma-operators/errors";

/** Why a cluster could not be spoken to. */
export type ConnectivityProblem =
  | "unauthorized"
  | "tls"
  | "dns"
  | "connection"
  | "timeout"
  | "throttled"
  | "server"
  | "down";

const problems: Readonly<Record<string, ConnectivityProblem>> = {
  KUBE_UNAUTHORIZED: "unauthorized",
  KUBE_TLS: "tls",
  KUBE_DNS: "dns",
  KUBE_CONNECTION: "connection",
  KUBE_TIMEOUT: "timeout",
  KUBE_TOO_MANY_REQUESTS: "throttled",
  KUBE_SERVER: "server",
  RUNTIME_CLUSTER_DOWN: "down",
};

/** The class of a failure that says something about the cluster; undefined for answers about the request itself. */
export function connectivityProblem(error: unknown): ConnectivityProblem | undefined {
  return isAppError(error) ? problems[error.code] : undefined;
}
