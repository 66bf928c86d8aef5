import { Command, InvalidArgumentError, Option } from "commander";
import { type ClusterFlags, withClusterFlags } from "../cluster.ts";
import { type RegistryFlags, withRegistryFlags } from "../component/registry.ts";
import { kymaName, namespaceName, serverAddress, subdomainName } from "../object-name.ts";
import { type ProgressFlags, withProgressFlags } from "../progress/flags.ts";
import { isUrl } from "../system-download.ts";
import { timeoutOption } from "../timeout.ts";
import { buildName, imageReference, imageTag } from "./image.ts";
import type { DeployFlags } from "./inputs.ts";
import type { PhaseFlags } from "./phases.ts";

export interface Flags extends DeployFlags, PhaseFlags, ClusterFlags, RegistryFlags, ProgressFlags {
  readonly timeout: number;
  readonly attach?: boolean;
  readonly dryRun?: "client" | "server";
  readonly diff?: boolean;
  /** Take back what was written when the run fails. */
  readonly atomic?: boolean;
}

const repeat = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** The default registry: the one that Kyma's own modules are published in. */
export const defaultRegistry = "europe-docker.pkg.dev/kyma-project/prod";
const defaultNamespace = "kcp-system";
const defaultKymaName = "default";

/** A command with every flag of `kyma deploy`. */
export function deployCommand(act: (flags: Flags) => Promise<void>): Command {
  const made = new Command().description(
    "Set up the operator and one Kyma on a cluster, which becomes its own runtime. A second run changes only what differs.",
  );
  for (const add of [moduleFlags, operatorFlags, runtimeFlags, runFlags]) add(made);
  withRegistryFlags(made.optionsGroup("Registry:"));
  withClusterFlags(made.optionsGroup("Cluster:"));
  refuseWithAttach(made);
  return made.action(act);
}

/** Flags that still say something where a deployment is only watched. */
const ofWatching: ReadonlySet<keyof Flags> = new Set([
  ...(["attach", "namespace", "kymaName", "timeout"] as const),
  ...(["output", "quiet", "verbose"] as const),
  ...(["kubeconfig", "context"] as const),
]);

/** Whatever else stands beside `--attach` would be left out in silence. */
function refuseWithAttach({ options }: Command): void {
  const names = options.map((option) => option.attributeName());
  const others = names.filter((name) => !ofWatching.has(name as keyof Flags));
  options.find((option) => option.attributeName() === "attach")?.conflicts(others);
}

/** How to watch what a run with these flags has begun. */
export function attachCommand(program: string, flags: Flags): string {
  const { namespace, kymaName, kubeconfig, context } = flags;
  const given = [
    ["--namespace", namespace === defaultNamespace ? undefined : namespace],
    ["--kyma-name", kymaName === defaultKymaName ? undefined : kymaName],
    ["--kubeconfig", kubeconfig],
    ["--context", context],
  ] as const;
  const told = given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return [program, "deploy", "--attach", ...told].join(" ");
}

function moduleFlags(made: Command): void {
  made
    .optionsGroup("Modules:")
    .option("-f, --file <file>", "module list: channel, modules, their templates, values and resources")
    .addOption(list("-m, --module <name[@channel|@version]>", "module to enable; repeatable"))
    .addOption(list("--template <file|url|oci://…>", "ModuleTemplates and ModuleReleaseMetas to apply; repeatable"))
    .option("-c, --channel <name>", "channel of the Kyma")
    .option("--prune-modules", "take modules that are not asked for out of the Kyma")
    .option("--registry <host[/path]>", "registry of the modules' components", defaultRegistry)
    .option(
      "--registry-secret <name>",
      "Secret of type dockerconfigjson that names the registry instead",
      subdomainName,
    );
}

function operatorFlags(made: Command): void {
  made
    .optionsGroup("Operator:")
    .option("--image <reference>", "image of the operator", imageReference)
    .option("--version <tag>", "tag of the operator's image", imageTag)
    .option(
      "--source <build>",
      "release, branch, commit or PR-<n> as tag of the image; local: ./config/local",
      buildName,
    )
    .option("--image-pull-secret <name>", "Secret in the namespace with which the image is pulled", subdomainName)
    .addOption(list("--kustomization <dir|url[@ref]>", "manifests instead of the built-in ones; repeatable"))
    .addOption(new Option("--profile <name>", "size of the operator").choices(["evaluation", "production"]))
    .option(
      "--cluster-address <url>",
      "how the operator reaches the cluster; default https://kubernetes.default.svc, on an embedded server its own",
      serverAddress,
    )
    .option("--wildcard-permissions", "let modules install whatever they bring; default on k3d and kind only")
    .option("--no-wildcard-permissions", "grant the rights of modules yourself")
    .option("--open-dashboard", "serve the operator's web page, and say how to reach it")
    .option(
      "--cert-manager <version|url>",
      "set up cert-manager where there is none; empty: leave it out",
      certManager,
    );
}

function runtimeFlags(made: Command): void {
  made
    .optionsGroup("Runtime:")
    .option("-n, --namespace <namespace>", "namespace of the operator and the Kyma", namespaceName, defaultNamespace)
    .option("-k, --kyma-name <name>", "name of the Kyma", kymaName, defaultKymaName)
    .option("--kyma-cr <file>", "Kyma to create instead of the built-in one")
    .option("-d, --domain <name>", "domain of the runtime; default the one that the cluster names", subdomainName)
    .option("--tls-crt <file>", "certificate for the domain")
    .option("--tls-key <file>", "its private key")
    .addOption(list("--value <module.path.key=value>", "value of a module that is a chart, or global.…; repeatable"))
    .addOption(list("--values-file <file|url>", "values by module, YAML or JSON; later ones win; repeatable"));
}

function runFlags(made: Command): void {
  made
    .optionsGroup("Run:")
    .option("--attach", "only watch a deployment that runs; write nothing")
    .addOption(
      new Option(
        "--dry-run [kind]",
        "client: print the objects as YAML, or JSON by -o; server: let the cluster try them",
      )
        .choices(["client", "server"])
        .preset("client"),
    )
    .addOption(new Option("--diff", "say what would change on the cluster; write nothing").conflicts("dryRun"))
    .option("--force", "go on with a managed runtime, or to an older version")
    .option("--force-conflicts", "take over fields that others manage")
    .option("--atomic", "take back what this run has written when it fails")
    .addOption(new Option("--concurrency <number>", "objects written at once").default(4).argParser(positive))
    .addOption(timeoutOption(1_200_000, "20m"));
  withProgressFlags(made);
}

function list(flags: string, description: string): Option {
  return new Option(flags, description).default([], "none").argParser(repeat);
}

function certManager(text: string): string {
  if (text === "" || isUrl(text) || /^v?\d+\.\d+\.\d+[\w.-]*$/.test(text)) return text;
  throw new InvalidArgumentError("expected a version such as 1.2.3, or the URL of its manifests.");
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value <= 64) return value;
  throw new InvalidArgumentError("expected a number from 1 to 64.");
}
