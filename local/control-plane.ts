import { join } from "node:path";
import { builtIn, type Client, type Clock, createClient, transportFrom } from "@kyma-operators/kube";
import { type ApiServer, type RequestRecord, startApiServer } from "../apiserver/index.ts";
import { localErrors } from "./errors.ts";
import { readObjects } from "./world-files.ts";

export interface ControlPlane {
  readonly server: ApiServer;
  /** In-process client of the administrator. */
  readonly client: Client;
}

interface Options {
  readonly root: string;
  readonly port: number;
  readonly clock: Clock;
  readonly onRequest: (record: RequestRecord) => void;
}

export const namespace = "kcp-system";
/** Certificates of the watcher are there, also where there is no Istio. */
const istioNamespace = "istio-system";
const { namespaces } = builtIn;

/** An API server with our CRDs and our namespace. Throws `LOCAL_PORT_IN_USE`. */
export async function startControlPlane({ root, port, clock, onRequest }: Options): Promise<ControlPlane> {
  const crds = (await readObjects(join(root, "crds"))).filter(
    ({ metadata }) => !metadata.name?.endsWith(".core.kyma-project.io"),
  );
  const server = await startApiServer({ port, clock, crds, onRequest, authorizationMode: "RBAC" }).catch(
    (error: unknown) => {
      if (Error.isError(error) && "code" in error && error.code === "EADDRINUSE") {
        throw localErrors.PORT_IN_USE({ what: "the control plane", port }, error);
      }
      throw error;
    },
  );
  const client = createClient({ transport: transportFrom(server.transport), clock, userAgent: "kyma-local" });
  for (const name of [namespace, istioNamespace])
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return { server, client };
}
