import { join } from "node:path";
import { type AnyObject, builtIn, type Client, optional } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { Command } from "commander";
import { z } from "zod";
import { apiVersion, crdName, moduleTemplates } from "../../apis/operator/group.ts";
import { names } from "../../apis/operator/names.ts";
import { productRoot } from "../../local/product-files.ts";
import { nearestNames } from "../../modules/nearest.ts";
import { type ClusterFlags, withCluster, withClusterFlags } from "../cluster.ts";
import { ExitCode, exitCodes } from "../command.ts";
import { awaitEstablished, fieldManager } from "../deploy/write.ts";
import type { Io } from "../io.ts";
import { namespaceName } from "../object-name.ts";
import { type OutputFormat, outputOption, printAs } from "../output.ts";
import { highestVersion } from "../semantic-version.ts";
import { download } from "../system-download.ts";
import { moduleErrors } from "./errors.ts";

const { customResourceDefinitions: crds } = builtIn;

export interface PullFlags extends ClusterFlags {
  readonly namespace: string;
  readonly moduleVersion?: string;
  readonly force?: boolean;
  readonly remoteUrl: string;
  readonly output: OutputFormat;
}

/** `kyma module pull`: what was stored where; the keys are a contract of `-o json`. */
export interface Pulled {
  readonly module: string;
  readonly version: string;
  /** `NAMESPACE/NAME` of the ModuleTemplate. */
  readonly template: string;
  /** False where `--force` replaced one that was there. */
  readonly created: boolean;
}

/** `kyma module pull NAME [-n NAMESPACE] [-v VERSION] [--force] [-o text|json|yaml]` */
export function command(io: Io): Command {
  return withClusterFlags(new Command())
    .description("Store the template of a community module in a namespace.")
    .argument("<name>", "module of the community catalogue")
    .option("-n, --namespace <namespace>", "namespace to store the template in", namespaceName, "default")
    .option("-v, --module-version <version>", "version; default the highest stable one")
    .option("--force", "replace a template that is there")
    .option(
      "--remote-url <url>",
      "catalogue: a JSON list of ModuleTemplates",
      "https://kyma-project.github.io/community-modules/all-modules.json",
    )
    .addOption(outputOption())
    .action((name: string, flags: PullFlags) =>
      withCluster(io, flags, async (client) => pullModule(io, client, name, flags)),
    );
}

const template = z.looseObject({
  apiVersion: z.literal(apiVersion),
  kind: z.literal("ModuleTemplate"),
  metadata: z.looseObject({ name: z.string().min(1) }),
  spec: z.looseObject({ moduleName: z.string().min(1), version: z.string().min(1) }),
});

type Template = z.infer<typeof template>;

/** {@link command} with a client of the cluster. */
export async function pullModule(io: Io, client: Client, name: string, flags: PullFlags): Promise<void> {
  const { namespace } = flags;
  if (namespace === names.remoteNamespace) {
    const why = `namespace ${namespace} is kept for modules that Kyma manages: choose another with --namespace`;
    throw new ExitCode(exitCodes.refused, why);
  }
  const chosen = chooseVersion(await readCatalog(flags.remoteUrl, io.signal), name, flags.moduleVersion);
  await ensureCrd(io, client);
  const key = { resource: moduleTemplates, namespace, name: chosen.metadata.name };
  const present = await optional(client.get(key, { signal: io.signal }));
  if (present !== undefined && flags.force !== true) {
    throw moduleErrors.ALREADY_PULLED({ template: `ModuleTemplate ${namespace}/${key.name}` });
  }
  const object = { ...chosen, metadata: { ...chosen.metadata, namespace } } as unknown as AnyObject;
  await client.apply(moduleTemplates, object, { fieldManager, force: true, signal: io.signal });
  const { version } = chosen.spec;
  const pulled: Pulled = {
    module: name,
    version,
    template: `${namespace}/${key.name}`,
    created: present === undefined,
  };
  printAs(io, flags.output, pulled, () => `${name} ${version}: stored as ModuleTemplate ${pulled.template}\n`);
}

/** The templates of a catalogue; entries that are none are left out. Throws `MODULE_CATALOG_INVALID`. */
async function readCatalog(url: string, signal: AbortSignal): Promise<readonly Template[]> {
  const refuse = (problem: string, cause?: unknown): Error => moduleErrors.CATALOG_INVALID({ url, problem }, cause);
  const content = new TextDecoder().decode(await download(url, signal));
  let list: unknown;
  try {
    list = JSON.parse(content);
  } catch (error) {
    throw refuse("the catalogue is no JSON", error);
  }
  if (!Array.isArray(list)) throw refuse("the catalogue is no list");
  const templates = list.flatMap((entry) => {
    const read = template.safeParse(entry);
    return read.success ? [read.data] : [];
  });
  if (templates.length === 0) throw refuse("the catalogue has no module");
  return templates;
}

/** The version asked for, else the highest stable one, else the first. */
function chooseVersion(catalog: readonly Template[], module: string, version: string | undefined): Template {
  const offered = catalog.filter(({ spec }) => spec.moduleName === module);
  const [first] = offered;
  if (first === undefined) {
    const known = [...new Set(catalog.map(({ spec }) => spec.moduleName))].sort();
    throw moduleErrors.UNKNOWN_MODULE({ module, near: nearestNames(module, known)[0], known });
  }
  const versions = offered.map(({ spec }) => spec.version);
  const stable = versions.filter((offer) => /^\d+\.\d+\.\d+$/.test(offer));
  const wanted = version ?? highestVersion(stable) ?? first.spec.version;
  const found = offered.find(({ spec }) => spec.version === wanted);
  if (found !== undefined) return found;
  throw moduleErrors.NO_VERSION({ module, version: wanted, versions });
}

/** A cluster without Kyma gets the one CRD that templates need; one that is there is left alone. */
async function ensureCrd(io: Io, client: Client): Promise<void> {
  const name = crdName(moduleTemplates);
  if ((await optional(client.get({ resource: crds, name }, { signal: io.signal }))) !== undefined) return;
  const file = join(productRoot(), "crds", "operator.kyma-project.io_moduletemplates.yaml");
  const crd = parseYaml(await io.files.readText(file), { name: file }) as AnyObject;
  await client.apply(crds, crd, { fieldManager, signal: io.signal });
  const world = { io, client, deadline: io.clock.now() + crdTimeoutMs };
  await awaitEstablished(world, [crd], (text) => io.stderr.write(`${text}\n`));
}

const crdTimeoutMs = 60_000;
