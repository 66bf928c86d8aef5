import { defineErrors } from "@kyma-operators/errors";
import { type AnyObject, builtIn, type Client } from "@kyma-operators/kube";
import { Command } from "commander";
import { names } from "../apis/operator/names.ts";
import { WorldFolder } from "../local/state-files.ts";
import { askWorld } from "../local/world-status.ts";
import { type ClusterFlags, withCluster, withClusterFlags } from "./cluster.ts";
import { unlessUnknown } from "./cluster-kinds.ts";
import { operator } from "./deploy/setup.ts";
import type { Io } from "./io.ts";
import { dataDirOf, dataDirOption } from "./local/data-dir.ts";
import { namespaceName } from "./object-name.ts";
import { openInBrowser } from "./system-browser.ts";

const { deployments } = builtIn;

const errors = defineErrors("DASHBOARD", {
  /** No operator runs in that namespace: deploy one, or name another namespace. */
  NO_OPERATOR: {
    retry: "on-change",
    text: (d: { namespace: string }) =>
      `no Deployment ${operator.name} in namespace ${d.namespace}: run "kyma deploy", or choose another --namespace`,
  },
  /** The operator of the cluster runs without its web page, which is off by default: apply `config/dashboard`. */
  OFF: {
    retry: "on-change",
    text: (d: { namespace: string }) =>
      `the operator in namespace ${d.namespace} serves no dashboard: run it with --dashboard-bind-address=127.0.0.1:8085, as config/dashboard does`,
  },
});

interface Flags extends ClusterFlags {
  readonly dataDir: string;
  readonly namespace: string;
  readonly open?: boolean;
}

/** Opens an address; false when it can't. */
type Open = (url: string) => Promise<boolean>;

/** `kyma dashboard [--no-open] [--kubeconfig FILE]` */
export function command(io: Io): Command {
  return dashboardCommand(io, openInBrowser);
}

/** The command with what opens a browser. */
export function dashboardCommand(io: Io, open: Open): Command {
  return withClusterFlags(new Command())
    .description("Open the web page of the local world, or say how to reach that of a cluster.")
    .addOption(dataDirOption())
    .option("-n, --namespace <namespace>", "namespace of the operator", namespaceName, names.controlPlaneNamespace)
    .option("--open", "open a browser (default on a terminal)")
    .option("--no-open", "only print the address")
    .action(async (flags: Flags) => {
      const url = await localDashboard(io, flags);
      if (url === undefined) await tellOfCluster(io, flags);
      else await show(io, url, flags.open ?? io.stdout.isTTY, open);
    });
}

/** The address in the local world; undefined where none runs, or where a cluster was asked for. */
async function localDashboard(io: Io, { dataDir, kubeconfig, context }: Flags): Promise<string | undefined> {
  if (kubeconfig !== undefined || context !== undefined) return undefined;
  return (await askWorld(new WorldFolder(dataDirOf(io, dataDir))))?.addresses.dashboard;
}

async function show(io: Io, url: string, wanted: boolean, open: Open): Promise<void> {
  io.stdout.write(`${url}\n`);
  if (wanted && !(await open(url))) io.stderr.write("no browser could be opened: open the address by hand\n");
}

async function tellOfCluster(io: Io, flags: Flags): Promise<void> {
  await withCluster(io, flags, async (client) => io.stdout.write(await directions(client, flags, io.signal)));
}

/** How to reach the page of a cluster's operator. Throws `DASHBOARD_NO_OPERATOR`, `DASHBOARD_OFF`. */
export async function directions(
  client: Client,
  { namespace, kubeconfig, context }: Pick<Flags, "namespace" | "kubeconfig" | "context">,
  signal: AbortSignal,
): Promise<string> {
  const ref = { resource: deployments, namespace, name: operator.name };
  const deployment = await unlessUnknown(client.get(ref, { signal }));
  if (deployment === undefined) throw errors.NO_OPERATOR({ namespace });
  const port = portOf(deployment);
  if (port === undefined) throw errors.OFF({ namespace });
  const kubectl = [
    "kubectl",
    ...(kubeconfig === undefined ? [] : ["--kubeconfig", kubeconfig]),
    ...(context === undefined ? [] : ["--context", context]),
    "--namespace",
    namespace,
    "port-forward",
    `deployment/${operator.name}`,
    port,
  ];
  return `Run this, and leave it running:\n\n  ${kubectl.join(" ")}\n\nThen open http://localhost:${port}/\n`;
}

interface WithArguments {
  readonly spec?: { readonly template?: { readonly spec?: { readonly containers?: readonly { args?: string[] }[] } } };
}

/** Port of the page by the arguments of the operator; undefined when it is off. */
function portOf(deployment: AnyObject): string | undefined {
  const containers = (deployment as WithArguments).spec?.template?.spec?.containers ?? [];
  const values = containers.flatMap(({ args = [] }) =>
    args.flatMap((arg) => /^--?dashboard-bind-address=.*:(\d+)$/.exec(arg)?.[1] ?? []),
  );
  return values.at(-1);
}
