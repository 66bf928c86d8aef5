import type { Client } from "@kyma-operators/kube";
import { Command, Option } from "commander";
import { type ClusterFlags, withCluster, withClusterFlags } from "../cluster.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { interruptible } from "../poll.ts";
import { timeoutOption } from "../timeout.ts";
import { type DeployFlags, readInputs } from "./inputs.ts";
import { attach, deploy, type PhaseFlags, planText, printDifference } from "./phases.ts";
import { readFound } from "./preflight.ts";
import { stepsOn } from "./steps.ts";

export interface Flags extends DeployFlags, PhaseFlags, ClusterFlags {
  readonly namespace: string;
  readonly timeout: number;
  readonly attach?: boolean;
  readonly dryRun?: string;
  readonly diff?: boolean;
  readonly output: "text" | "json";
}

const repeat = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `kyma deploy`: a working runtime on the cluster, with the modules that are asked for. */
export function command(io: Io): Command {
  return deployCommand((flags) => run(io, flags));
}

/** The flags of {@link command} with something else to do. */
export function deployCommand(act: (flags: Flags) => Promise<void>): Command {
  const made = withClusterFlags(new Command())
    .description("Set up the operator and one Kyma on a cluster, which becomes its own runtime.")
    .option("-f, --file <file>", "module list: channel, modules, their templates and resources")
    .option("-m, --module <name[@channel|@version]>", "module to enable; repeatable", repeat, [])
    .option("--template <file|url>", "ModuleTemplates and ModuleReleaseMetas to apply; repeatable", repeat, [])
    .option("--kustomization <dir>", "folder that replaces the built-in manifests; repeatable", repeat, [])
    .option("--image <reference>", "image of the operator")
    .option("--version <tag>", "tag of the operator's image")
    .option("-c, --channel <name>", "channel of the Kyma")
    .option("-n, --namespace <namespace>", "namespace of the operator and the Kyma", "kcp-system")
    .option("-k, --kyma-name <name>", "name of the Kyma", "default")
    .option("--kyma-cr <file>", "Kyma to create instead of the built-in one")
    .option("--domain <name>", "domain of the runtime, written to the Kyma")
    .addOption(new Option("--profile <name>", "size of the operator").choices(["evaluation", "production"]))
    .option(
      "--registry <host[/path]>",
      "registry of the modules' components",
      "europe-docker.pkg.dev/kyma-project/prod",
    )
    .option("--registry-secret <name>", "Secret of type dockerconfigjson that names the registry instead")
    .option("--cluster-address <url>", "how the operator reaches the cluster", "https://kubernetes.default.svc");
  return withRunFlags(made).action(act);
}

function withRunFlags(made: Command): Command {
  return made
    .option("--no-wildcard-permissions", "do not let modules install whatever they bring; grant rights yourself")
    .option("--prune-modules", "take modules that are not asked for out of the Kyma", false)
    .option("--force-conflicts", "take over fields that others manage", false)
    .option("--force", "go on with a managed runtime, or to an older version", false)
    .option("--attach", "only watch a deployment that runs; write nothing")
    .option("--diff", "say what would change on the cluster; write nothing")
    .addOption(
      new Option("--dry-run [kind]", "print the objects, without a cluster").choices(["client"]).preset("client"),
    )
    .addOption(timeoutOption(1_200_000, "20m"))
    .addOption(
      new Option("-o, --output <format>", "progress as text or JSON events").choices(["text", "json"]).default("text"),
    );
}

async function run(io: Io, flags: Flags): Promise<void> {
  if (flags.timeout <= 0) throw new ExitCode(exitCodes.refused, "--timeout: expected a duration above zero");
  if (flags.dryRun !== undefined) {
    io.stdout.write(planText(await readInputs(io, flags)));
    return;
  }
  await withCluster(io, flags, (client) => deployTo(io, client, flags));
}

/** {@link command} with a client of the cluster. Ends with 130 when it is interrupted. */
export async function deployTo(io: Io, client: Client, flags: Flags): Promise<void> {
  const world = { io, client, deadline: io.clock.now() + flags.timeout };
  const steps = stepsOn(io, flags.output);
  await interruptible(io, `watch it with "${io.program} deploy --attach"`, async () => {
    if (flags.attach === true) return attach(world, flags, steps);
    const found = await readFound(client, flags.namespace, io.signal);
    const inputs = await readInputs(io, flags, found.releases);
    if (flags.diff === true) return printDifference(world, inputs);
    await deploy(world, { inputs, found }, flags, steps);
  });
}
