import { Command } from "commander";
import { moduleReleaseMetas } from "../../apis/operator/group.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { type ClusterFlags, withCluster, withClusterFlags } from "../cluster.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, outputOption, printAs } from "../output.ts";
import { formatTable } from "../table.ts";
import { orUndeployed } from "./kyma-access.ts";

/** One module of the catalogue; the keys are a contract of `-o json`. */
export interface CatalogModule {
  readonly name: string;
  readonly namespace: string;
  readonly versions: readonly { readonly version: string; readonly channel: string }[];
}

/** `kyma module catalog [--channel C] [-o text|json|yaml]` */
export function command(io: Io): Command {
  return withClusterFlags(new Command())
    .description("List the modules that can be enabled.")
    .option("-c, --channel <channel>", "only versions of this channel")
    .addOption(outputOption())
    .action(async (flags: ClusterFlags & { readonly output: OutputFormat; readonly channel?: string }) =>
      withCluster(io, flags, async (client) => {
        const { items } = await orUndeployed(client.list<ModuleReleaseMeta>(moduleReleaseMetas, { signal: io.signal }));
        const modules = catalogOf(items, flags.channel);
        printAs(io, flags.output, modules, () => asText(modules));
      }),
    );
}

/** Every module with a channel, or with that channel, by name; mandatory ones can't be chosen and are left out. */
export function catalogOf(releases: readonly ModuleReleaseMeta[], only?: string): readonly CatalogModule[] {
  return releases
    .map(({ metadata, spec }) => ({
      name: metadata.name ?? "",
      namespace: metadata.namespace ?? "",
      versions: (spec.channels ?? [])
        .filter(({ channel }) => channel === (only ?? channel))
        .map(({ version, channel }) => ({ version, channel })),
    }))
    .filter(({ versions }) => versions.length > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function asText(modules: readonly CatalogModule[]): string {
  if (modules.length === 0) return "the catalogue is empty: apply a ModuleReleaseMeta and its ModuleTemplates\n";
  const rows = modules.map(({ name, versions }) => [
    name,
    versions.map(({ version, channel }) => `${version}(${channel})`).join(", "),
  ]);
  return formatTable(["NAME", "AVAILABLE VERSIONS"], rows);
}
