import { Command } from "commander";
import { moduleReleaseMetas } from "../../apis/operator/group.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { type ClusterFlags, withCluster, withClusterFlags } from "../cluster.ts";
import type { Io } from "../io.ts";
import { type ListFormat, listOption, printList } from "../output.ts";
import { formatTable } from "../table.ts";
import { orUndeployed } from "./kyma-access.ts";

/** `kyma module catalog`: one module; the keys are a contract of `-o json`. */
export interface CatalogModule {
  readonly name: string;
  readonly namespace: string;
  readonly versions: readonly { readonly version: string; readonly channel: string }[];
}

/** `kyma module catalog [--channel C] [-o text|wide|name|json|yaml]` */
export function command(io: Io): Command {
  return withClusterFlags(new Command())
    .description("List the modules that can be enabled.")
    .option("-c, --channel <channel>", "only versions of this channel")
    .addOption(listOption())
    .action(async (flags: ClusterFlags & { readonly output: ListFormat; readonly channel?: string }) =>
      withCluster(io, flags, async (client) => {
        const { items } = await orUndeployed(client.list<ModuleReleaseMeta>(moduleReleaseMetas, { signal: io.signal }));
        const modules = catalogOf(items, flags.channel);
        printList(io, flags.output, modules, ({ wide }) => asText(modules, { wide, channel: flags.channel }));
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

interface TextOptions {
  readonly wide: boolean;
  readonly channel: string | undefined;
}

function asText(modules: readonly CatalogModule[], { wide, channel }: TextOptions): string {
  if (modules.length === 0) return emptyText(channel);
  const rows = modules.map(({ name, namespace, versions }) => [
    ...(wide ? [namespace] : []),
    name,
    versions.map((entry) => `${entry.version}(${entry.channel})`).join(", "),
  ]);
  return formatTable([...(wide ? ["NAMESPACE"] : []), "NAME", "AVAILABLE VERSIONS"], rows);
}

function emptyText(channel: string | undefined): string {
  return channel === undefined
    ? "the catalogue is empty: apply a ModuleReleaseMeta and its ModuleTemplates\n"
    : `no module is in channel ${channel}: "kyma module catalog" without --channel shows what there is\n`;
}
