import { Command, Option } from "commander";
import type { Kyma, KymaModule, ModuleStatus } from "../../apis/operator/kyma.ts";
import { withCluster } from "../cluster.ts";
import type { Io } from "../io.ts";
import { type ListFormat, listOption, printList } from "../output.ts";
import { formatTable } from "../table.ts";
import { findKyma, type KymaFlags, nameOf, withKymaFlags } from "./kyma-access.ts";

/** `kyma module list`: one enabled module; the keys are a contract of `-o json`. */
export interface ListedModule {
  readonly name: string;
  readonly version: string;
  readonly channel: string;
  readonly crPolicy: string;
  readonly managed: boolean;
  readonly status: string;
  readonly message: string;
}

interface Flags extends KymaFlags {
  readonly output: ListFormat;
  readonly channel?: string;
  readonly showErrors?: boolean;
}

/** `kyma module list [--channel C] [--show-errors] [-o text|wide|name|json|yaml]` */
export function command(io: Io): Command {
  return withKymaFlags(new Command())
    .description("List the enabled modules with their versions and states.")
    .addOption(listOption())
    .addOption(new Option("-c, --channel <channel>", "only modules of this channel"))
    .addOption(new Option("--show-errors", "show the message of each module"))
    .action(async (flags: Flags) =>
      withCluster(io, flags, async (client) => {
        const kyma = await findKyma(client, flags, io.signal);
        const modules = listModules(kyma).filter(({ channel }) => channel === (flags.channel ?? channel));
        printList(io, flags.output, modules, ({ wide }) =>
          asText(kyma, modules, { channel: flags.channel, messages: wide || flags.showErrors === true }),
        );
      }),
    );
}

/** The modules of spec and status together, by name; one that is being removed is only in the status. */
export function listModules(kyma: Kyma): readonly ListedModule[] {
  const specs = new Map((kyma.spec.modules ?? []).map((module) => [module.name, module]));
  const statuses = new Map((kyma.status?.modules ?? []).map((module) => [module.name, module]));
  const names = [...new Set([...specs.keys(), ...statuses.keys()])].sort();
  return names.map((name) => listed(kyma, { name, ...specs.get(name) }, statuses.get(name)));
}

function listed(kyma: Kyma, spec: KymaModule, status: ModuleStatus | undefined): ListedModule {
  const { state = "", version = "", message = "", channel = spec.channel ?? kyma.spec.channel } = status ?? {};
  const { name, customResourcePolicy = "CreateAndDelete", managed = true } = spec;
  return { name, version, channel, crPolicy: customResourcePolicy, managed, status: state || "Pending", message };
}

interface TextOptions {
  readonly channel: string | undefined;
  readonly messages: boolean;
}

function asText(kyma: Kyma, modules: readonly ListedModule[], { channel, messages }: TextOptions): string {
  if (modules.length === 0) {
    const where = channel === undefined ? nameOf(kyma) : `${nameOf(kyma)} from channel ${channel}`;
    return `no module is enabled in ${where}: "kyma module catalog" shows what there is\n`;
  }
  const header = ["NAME", "VERSION", "CR POLICY", "MANAGED", "STATUS", ...(messages ? ["MESSAGE"] : [])];
  const rows = modules.map((module) => [
    module.name,
    module.version === "" ? "" : `${module.version}(${module.channel})`,
    module.crPolicy,
    String(module.managed),
    module.status,
    ...(messages ? [module.message] : []),
  ]);
  return formatTable(header, rows);
}
