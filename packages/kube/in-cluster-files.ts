import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kyma-operators/clock";
import { Secret } from "@kyma-operators/errors";
import type { ClusterAccess } from "./access.ts";
import { kubeErrors } from "./errors.ts";
import { renewedToken } from "./renewed-token.ts";

const defaultMount = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface InCluster {
  readonly clock: Clock;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder of the service account. Default: where the kubelet mounts it. */
  readonly mount?: string;
}

/**
 * The access of a Pod to its own cluster. The token is read again once a minute, because the kubelet renews it.
 *
 * Throws `KUBE_NOT_IN_CLUSTER` outside a Pod.
 */
export async function inClusterAccess(options: InCluster): Promise<ClusterAccess> {
  const { clock, env = process.env, mount = defaultMount } = options;
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) throw kubeErrors.NOT_IN_CLUSTER({ problem: "KUBERNETES_SERVICE_HOST and _PORT are not set" });
  const tokenPath = join(mount, "token");
  const token = await read(tokenPath);
  const ca = await read(join(mount, "ca.crt"));
  const namespace = await read(join(mount, "namespace")).catch(() => undefined);
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ca,
    token: renewedToken(new Secret(token), tokenIn(tokenPath, token), clock),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** Reads a token again and again. A file that can't be read for a moment must not end all requests. */
function tokenIn(path: string, first: string): () => Promise<Secret> {
  let known = new Secret(first);
  return async () => {
    known = await read(path).then(
      (text) => new Secret(text),
      () => known,
    );
    return known;
  };
}

async function read(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw kubeErrors.NOT_IN_CLUSTER({ problem: `can't read ${path}: ${(error as Error).message}` });
  }
}
