import { getComponentVersion } from "@kyma-operators/ocm";
import { Command } from "commander";
import { parseDurationMs } from "../../apis/duration.ts";
import {
  type ComponentVersion,
  type Descriptor,
  type DescriptorProblem,
  descriptorProblem,
} from "../../modules/descriptor.ts";
import { parsePolicy } from "../../modules/maintenance/policy.ts";
import { descriptorsOf, type KymaPlanSettings, planKyma } from "../../modules/plan-kyma.ts";
import { type RegistryFlags, withRegistry, withRegistryFlags } from "../component/registry.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, outputOption, printAs } from "../output.ts";
import { moduleErrors } from "./errors.ts";
import { readDescriptorFile } from "./plan-descriptors.ts";
import { readWorld } from "./plan-input.ts";
import { planAsData, planAsText } from "./plan-output.ts";

interface PlanFlags extends RegistryFlags {
  readonly filename: string;
  readonly descriptors?: string;
  readonly registry?: string;
  readonly syncNamespace: string;
  readonly restrictedModules: string;
  readonly maintenancePolicy?: string;
  readonly minMaintenanceWindowSize: string;
  readonly output: OutputFormat;
}

/** `kyma module plan -f FILE [--descriptors DIR] [--registry REF] [-o text|json|yaml] …` */
export function command(io: Io): Command {
  return withRegistryFlags(new Command())
    .description("Show what a Kyma would produce, without a cluster.")
    .requiredOption("-f, --filename <file>", "a Kyma, its catalog and its Manifests; - reads standard input")
    .option("--descriptors <dir>", "read descriptors from DIR/<component>/<version>.yaml instead of a registry")
    .option("--registry <ref>", "registry of the module components")
    .option("--sync-namespace <namespace>", "namespace of default resources that name none", "kyma-system")
    .option("--restricted-modules <names>", "modules that only named Kymas may use, separated by commas", "")
    .option("--maintenance-policy <file>", "maintenance windows; without it no upgrade that needs one is made")
    .option("--min-maintenance-window-size <duration>", "least rest of a window that is used", "20m")
    .addOption(outputOption())
    .action(async (flags: PlanFlags) => {
      const world = await readWorld(io, flags.filename);
      const settings = await settingsFrom(io, flags);
      const descriptors = await fetchAll(io, flags, descriptorsOf(world, settings));
      const plan = planKyma(
        world,
        settings,
        (id) => descriptors.get(keyOf(id)) ?? { problem: `${keyOf(id)}: not read` },
      );
      const known = world.metas.map(({ metadata }) => metadata.name ?? "");
      printAs(io, flags.output, planAsData(plan), () => planAsText(plan, known));
    });
}

async function settingsFrom(io: Io, flags: PlanFlags): Promise<KymaPlanSettings> {
  const { registry = "", syncNamespace, restrictedModules, maintenancePolicy, minMaintenanceWindowSize } = flags;
  const minWindowMs = parseDurationMs(minMaintenanceWindowSize);
  if (minWindowMs === undefined) {
    throw moduleErrors.FLAG({
      flag: "min-maintenance-window-size",
      expected: "a duration such as 20m",
      found: minMaintenanceWindowSize,
    });
  }
  const policy = maintenancePolicy === undefined ? undefined : parsePolicy(await io.files.readText(maintenancePolicy));
  return {
    registry,
    syncNamespace,
    restrictedModules: restrictedModules.split(",").filter((name) => name !== ""),
    windows: { minWindowMs, ...(policy === undefined ? {} : { policy }) },
    nowMs: io.clock.now(),
  };
}

type Found = ReadonlyMap<string, Descriptor | DescriptorProblem>;
type Fetch = (id: ComponentVersion) => Promise<Descriptor>;

async function fetchAll(io: Io, flags: PlanFlags, ids: readonly ComponentVersion[]): Promise<Found> {
  const { descriptors, registry } = flags;
  if (descriptors !== undefined) return fetchEach(ids, async (id) => readDescriptorFile(io.files, descriptors, id));
  if (ids.length === 0) return new Map();
  if (registry === undefined) {
    throw moduleErrors.FLAG({ flag: "registry", expected: "a registry, or --descriptors", found: "" });
  }
  return withRegistry(io, flags, async (client) =>
    fetchEach(ids, async ({ component: name, version }) => {
      const found = await getComponentVersion(client, { baseUrl: registry }, { name, version }, { signal: io.signal });
      return found.descriptor;
    }),
  );
}

/** One after another: a Kyma has a handful of modules. What fails is told per module, not as a failure of the plan. */
async function fetchEach(ids: readonly ComponentVersion[], fetch: Fetch): Promise<Found> {
  const found = new Map<string, Descriptor | DescriptorProblem>();
  for (const id of ids) {
    if (found.has(keyOf(id))) continue;
    try {
      found.set(keyOf(id), await fetch(id));
    } catch (error) {
      found.set(keyOf(id), descriptorProblem(id, error));
    }
  }
  return found;
}

function keyOf({ component, version }: ComponentVersion): string {
  return `${component}:${version}`;
}
