import { projectNamespace, type Shoot, shootResource } from "@kyma-operators/gardener";
import { optional } from "@kyma-operators/kube";
import { Command, Option } from "commander";
import {
  type ConversionInput,
  convertToPatch,
  keptZones,
  parseShoot,
  type ShootDifference,
  type ShootDifferences,
  shootDifferences,
} from "../../controllers/runtime/shoot/index.ts";
import { withCluster } from "../cluster.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import {
  type ConversionFlags,
  readCaches,
  readConversionInput,
  readExistingShoot,
  withConversionFlags,
} from "./inputs.ts";

interface Flags extends ConversionFlags {
  readonly existingShoot?: string;
  readonly gardenerKubeconfigPath?: string;
  readonly output: "text" | "json";
}

/** `kyma runtime diff`: all that differs; the keys are a contract of `-o json`. */
interface DiffReport extends ShootDifferences {
  /** Zones that the Runtime no longer names and that stay. */
  readonly keptZones: readonly string[];
}

/** `kyma runtime diff -f FILE --converter-config FILE [--existing-shoot FILE|--gardener-kubeconfig-path FILE] [-o text|json]` */
export function command(io: Io): Command {
  return withConversionFlags(new Command())
    .description("Say what the next patch would change in a Shoot, and what it leaves to Gardener.")
    .option("--existing-shoot <file>", "the Shoot as Gardener has it; - reads standard input; default: ask Gardener")
    .option("--gardener-kubeconfig-path <file>", "kubeconfig of the Gardener project; default KUBECONFIG")
    .addOption(new Option("-o, --output <format>", "output format").choices(["text", "json"]).default("text"))
    .action(async (flags: Flags) => {
      const input = await readConversionInput(io, flags);
      const shoot = await readShoot(io, flags, input);
      const wanted = convertToPatch({ ...input, shoot, caches: await readCaches(io, flags.cacheConfig) });
      const report: DiffReport = { ...shootDifferences(shoot, wanted), keptZones: keptZones(input.runtime, shoot) };
      io.stdout.write(flags.output === "json" ? `${JSON.stringify(report)}\n` : textOf(report));
    });
}

/** The Shoot of a file, or else the one that Gardener has. */
async function readShoot(io: Io, flags: Flags, input: ConversionInput): Promise<Shoot> {
  const { existingShoot: file, gardenerKubeconfigPath: kubeconfig } = flags;
  if (file !== undefined) return readExistingShoot(io, file, input);
  const { runtime, config } = input;
  const { name } = runtime.spec.shoot;
  const namespace = projectNamespace(config.converter.gardener.projectName);
  const access = kubeconfig === undefined ? {} : { kubeconfig };
  return withCluster(io, access, async (client) => {
    const found = await optional(client.get({ resource: shootResource, namespace, name }, { signal: io.signal }));
    if (found !== undefined) return parseShoot(found, `Shoot ${name}`);
    const next = `"${io.program} runtime convert" prints the one that would be created`;
    throw new ExitCode(exitCodes.error, `Gardener has no Shoot ${namespace}/${name}: ${next}`);
  });
}

function textOf(report: DiffReport): string {
  const lines = [
    ...report.changes.map(lineOf),
    ...report.keptZones.map((zone) => `= zone ${zone} stays: Gardener can't take zones back`),
    ...report.leftToGardener.map((path) => `. ${path} is left to Gardener`),
  ];
  const summary = report.changes.length === 0 ? "no change" : `${report.changes.length} change(s)`;
  return [...lines, summary, ""].join("\n");
}

const signs = { added: "+", changed: "~", removed: "-" } as const;

function lineOf({ kind, path, from, to }: ShootDifference): string {
  const show = (value: unknown): string => JSON.stringify(value);
  if (kind === "changed") return `${signs[kind]} ${path}: ${show(from)} -> ${show(to)}`;
  return `${signs[kind]} ${path}: ${show(kind === "added" ? to : from)}`;
}
