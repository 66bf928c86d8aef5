import { type AnyObject, builtIn, type Client } from "@kyma-operators/kube";
import { Command } from "commander";
import { kymas, manifests } from "../apis/operator/group.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { names } from "../apis/operator/names.ts";
import { type ClusterFlags, withCluster, withClusterFlags } from "./cluster.ts";
import { unlessHidden, unlessUnknown } from "./cluster-kinds.ts";
import { ExitCode, exitCodes } from "./command.ts";
import { tagOf } from "./deploy/image.ts";
import { imageOf } from "./deploy/preflight.ts";
import { failureOf, failureText, unavailability } from "./deploy/rollout.ts";
import { operator } from "./deploy/setup.ts";
import type { Io } from "./io.ts";
import { namespaceName } from "./object-name.ts";
import { type OutputFormat, outputOption, printAs } from "./output.ts";
import { formatTable } from "./table.ts";

const { deployments, pods } = builtIn;

/** `kyma status`: one thing that runs, or should; the keys are a contract of `-o json`. */
export interface StatusRow {
  readonly kind: "Operator" | "Kyma" | "Module" | "Manifest";
  readonly name: string;
  readonly version: string;
  readonly state: string;
  /** Why it is not Ready; empty when it is. */
  readonly reason: string;
}

/** `kyma status [-n NAMESPACE] [-o text|json|yaml]`: exit code 0 when everything is Ready, 2 when something is not. */
export function command(io: Io): Command {
  return withClusterFlags(new Command())
    .description("Say what runs, in which version, and what is unhappy and why; ends with 2 if anything is.")
    .option(
      "-n, --namespace <namespace>",
      "namespace of the operator and the Kymas",
      namespaceName,
      names.controlPlaneNamespace,
    )
    .addOption(outputOption())
    .action(async (flags: ClusterFlags & { readonly namespace: string; readonly output: OutputFormat }) =>
      withCluster(io, flags, async (client) => {
        const rows = await readStatus(client, flags.namespace, io.signal);
        const elsewhere = rows.length === 0 ? await namespacesOfKymas(client, io.signal) : [];
        printAs(io, flags.output, rows, () => asText(rows, flags.namespace, elsewhere));
        if (!rows.every(isHappy)) throw new ExitCode(exitCodes.warning);
      }),
    );
}

/** What a user has taken into own hands needs nothing. */
function isHappy({ state }: StatusRow): boolean {
  return state === "Ready" || state === "Unmanaged";
}

/** Where Kymas are, as far as the user may know: a runtime keeps its own in another namespace than a control plane. */
async function namespacesOfKymas(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const found = await unlessHidden(client.list<Kyma>(kymas, { signal }));
  return [...new Set((found?.items ?? []).map(({ metadata }) => metadata.namespace ?? ""))].sort();
}

function asText(rows: readonly StatusRow[], namespace: string, elsewhere: readonly string[]): string {
  if (rows.length === 0) return nothingIn(namespace, elsewhere);
  return formatTable(
    ["KIND", "NAME", "VERSION", "STATE", "REASON"],
    rows.map(({ kind, name, version, state, reason }) => [kind, name, version, state, reason]),
  );
}

function nothingIn(namespace: string, elsewhere: readonly string[]): string {
  const next =
    elsewhere.length === 0
      ? 'run "kyma deploy", or choose another --namespace'
      : `Kymas are in ${elsewhere.join(", ")}: choose with --namespace`;
  return `nothing is deployed in ${namespace}: ${next}\n`;
}

/** Operator, Kymas with their modules, and the Manifests that are not Ready. */
export async function readStatus(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly StatusRow[]> {
  const [deployed, found, installed, allPods] = await Promise.all([
    client.list(deployments, { namespace, signal }),
    unlessUnknown(client.list<Kyma>(kymas, { namespace, signal })),
    unlessUnknown(client.list<Manifest>(manifests, { namespace, signal })),
    client.list(pods, { namespace, labelSelector: `app.kubernetes.io/name=${operator.name}`, signal }),
  ]);
  const own = deployed.items.filter(({ metadata }) => metadata.name === operator.name);
  return [
    ...own.map((deployment) => operatorRow(deployment, allPods.items)),
    ...(found?.items ?? []).flatMap(kymaRows),
    ...(installed?.items ?? []).flatMap(manifestRows),
  ];
}

function operatorRow(deployment: AnyObject, own: readonly AnyObject[]): StatusRow {
  const image = imageOf(deployment);
  const open = unavailability(deployment);
  const failures = own.flatMap(failureOf).map(failureText);
  return {
    kind: "Operator",
    name: nameOf(deployment),
    version: tagOf(image) ?? image,
    state: open === undefined ? "Ready" : "Processing",
    reason: open === undefined ? "" : [open, ...failures].join("; "),
  };
}

function kymaRows(kyma: Kyma): readonly StatusRow[] {
  const { state = "", lastOperation, modules = [] } = kyma.status ?? {};
  const reason = state === "Ready" ? "" : (lastOperation?.operation ?? "not looked at yet");
  const own: StatusRow = { kind: "Kyma", name: nameOf(kyma), version: "", state, reason };
  return [
    own,
    ...modules.map(({ name, version = "", state: moduleState, message = "" }): StatusRow => {
      const why = moduleState === "Ready" ? "" : message;
      return { kind: "Module", name: `${kyma.metadata.name ?? ""}/${name}`, version, state: moduleState, reason: why };
    }),
  ];
}

function manifestRows(manifest: Manifest): readonly StatusRow[] {
  const { state = "", lastOperation } = manifest.status ?? {};
  if (state === "Ready") return [];
  const version = manifest.spec.version ?? "";
  const reason = lastOperation?.operation ?? "not looked at yet";
  return [{ kind: "Manifest", name: nameOf(manifest), version, state, reason }];
}

function nameOf({ metadata }: { readonly metadata: { readonly namespace?: string; readonly name?: string } }): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
