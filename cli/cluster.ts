import { type Client, createClient, createHttpTransport, loadKubeconfig } from "@kyma-operators/kube";
import { type Command, Option } from "commander";
import type { Io } from "./io.ts";
import { version } from "./product.ts";

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A person's command has no queue that would come back to a request which a busy server has put off. */
export const throttleRetries = 5;

/** Adds `--kubeconfig` and `--context` to a command that talks to a cluster. */
export function withClusterFlags(command: Command): Command {
  return command
    .addOption(new Option("--kubeconfig <file>", "kubeconfig; default KUBECONFIG, then ~/.kube/config"))
    .addOption(new Option("--context <name>", "context of the kubeconfig"));
}

/** Runs `use` with a client of the chosen cluster, and its address, and closes the connections afterwards. */
export async function withCluster<T>(
  io: Io,
  flags: ClusterFlags,
  use: (client: Client, address: string) => Promise<T>,
): Promise<T> {
  const access = await loadKubeconfig({
    ...(flags.kubeconfig === undefined ? {} : { path: flags.kubeconfig }),
    ...(flags.context === undefined ? {} : { context: flags.context }),
    clock: io.clock,
  });
  const client = createClient({
    transport: createHttpTransport(access),
    clock: io.clock,
    userAgent: `kyma/${version}`,
    fieldManager: "kyma-cli",
    throttleRetries,
  });
  try {
    return await use(client, access.server);
  } finally {
    await client.close();
  }
}
