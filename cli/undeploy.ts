import { type AnyObject, builtIn, type Client, optional, type Resource } from "@kyma-operators/kube";
import { Command } from "commander";
import { kymas, manifests, moduleReleaseMetas, moduleTemplates } from "../apis/operator/group.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import { labels } from "../apis/operator/labels.ts";
import { names } from "../apis/operator/names.ts";
import { type ClusterFlags, withCluster, withClusterFlags } from "./cluster.ts";
import { refTo, resourceOf, unlessUnknown } from "./cluster-kinds.ts";
import { localNamesEntry, localNamesKey, tlsSecret } from "./deploy/configuration.ts";
import { readInputs } from "./deploy/inputs.ts";
import { isCrd, objectsOf } from "./deploy/objects.ts";
import { fieldManager } from "./deploy/write.ts";
import type { Io } from "./io.ts";
import { refOf } from "./module/kyma-access.ts";
import { namespaceName } from "./object-name.ts";
import { interruptible, pollUntil, type World } from "./poll.ts";
import { type ProgressFlags, withProgressFlags } from "./progress/flags.ts";
import { type Steps, stepsOn } from "./progress/steps.ts";
import { checkRights } from "./rights.ts";
import { timeoutOption } from "./timeout.ts";

const { configMaps } = builtIn;

export interface UndeployFlags extends ClusterFlags, ProgressFlags {
  readonly namespace: string;
  readonly timeout: number;
  readonly keepCrds?: boolean;
}

/** `kyma undeploy [--keep-crds] [--timeout 6m]` */
export function command(io: Io): Command {
  return undeployCommand((flags) => withCluster(io, flags, (client) => undeployFrom(io, client, flags)));
}

/** The flags of {@link command} with something else to do. */
export function undeployCommand(act: (flags: UndeployFlags) => Promise<void>): Command {
  return withProgressFlags(withClusterFlags(new Command()))
    .description("Remove what kyma deploy has set up: modules and Kymas first, then the operator, then the CRDs.")
    .option(
      "-n, --namespace <namespace>",
      "namespace of the operator and the Kyma",
      namespaceName,
      names.controlPlaneNamespace,
    )
    .option("--keep-crds", "leave the CRDs, and with them objects in other namespaces")
    .addOption(timeoutOption(360_000, "6m"))
    .action(act);
}

/** {@link command} with a client of the cluster. What is gone already is no failure, so it can be run again. */
export async function undeployFrom(io: Io, client: Client, flags: UndeployFlags): Promise<void> {
  const world = { io, client, deadline: io.clock.now() + flags.timeout };
  await interruptible(io, `run "${io.program} undeploy" again`, () => removeAll(world, flags));
}

async function removeAll(world: World, flags: UndeployFlags): Promise<void> {
  const { io, client } = world;
  const steps = stepsOn(io, flags);
  const setup = await setupObjects(io, flags.namespace);
  await steps.run("preflight", () => checkRights(client, setup, { verbs: ["get", "delete"], signal: io.signal }));
  // The operator is needed to remove modules, so it goes after everything that it cleans up.
  await steps.run("modules", (say) => removeModules(world, flags.namespace, say));
  await removeKind(world, steps, { title: "Kymas", kind: kymas, namespace: flags.namespace });
  await removeKind(world, steps, { title: "releases", kind: moduleReleaseMetas, namespace: flags.namespace });
  await removeKind(world, steps, { title: "templates", kind: moduleTemplates, namespace: flags.namespace });
  await removeObjects(world, steps, { title: "operator", objects: setup.filter((object) => !isCrd(object)) });
  await removeLocalNames(world);
  if (flags.keepCrds !== true) await removeObjects(world, steps, { title: "CRDs", objects: setup.filter(isCrd) });
}

/** What a deployment writes, last things first; the Kyma has its own phase. */
async function setupObjects(io: Io, namespace: string): Promise<readonly AnyObject[]> {
  const { plan } = await readInputs(io, {
    namespace,
    kymaName: "default",
    module: [],
    template: [],
    kustomization: [],
    valuesFile: [],
    registry: "unused.invalid",
    wildcardPermissions: true,
    // So that there is every object that a deployment may have left.
    domain: "any.invalid",
    value: ["global.any=true"],
  });
  // The namespace of the runtime is the user's, too.
  return [...objectsOf(plan), tlsSecret({ crt: "", key: "" })]
    .filter(({ kind, metadata }) => kind !== "Kyma" && metadata.name !== names.remoteNamespace)
    .toReversed();
}

/** Others may have additions of theirs beside ours. */
async function removeLocalNames({ client, io }: World): Promise<void> {
  const key = { resource: configMaps, ...localNamesKey };
  const found = await optional(client.get(key, { signal: io.signal }));
  const data = (found?.["data"] ?? {}) as Readonly<Record<string, string>>;
  if (data[localNamesEntry] === undefined) return;
  await client.mergePatch(key, { data: { [localNamesEntry]: null } }, { fieldManager, signal: io.signal });
}

/**
 * Takes every module out of every Kyma and waits until it is uninstalled: on a cluster that is its own runtime, the
 * end of a Kyma takes the CRDs along that this needs.
 */
async function removeModules(world: World, namespace: string, say: (text: string) => void): Promise<void> {
  const { client, io } = world;
  const found = (await unlessUnknown(client.list<Kyma>(kymas, { signal: io.signal })))?.items ?? [];
  const concerned = found.filter(
    ({ metadata, spec }) =>
      [namespace, names.remoteNamespace].includes(metadata.namespace ?? "") && (spec.modules ?? []).length > 0,
  );
  for (const kyma of concerned) {
    await client.mergePatch(refOf(kyma), { spec: { modules: [] } }, { fieldManager, signal: io.signal });
  }
  const listed = { namespace, labelSelector: `!${labels.mandatoryModule}`, signal: io.signal };
  const look = async (): Promise<string | undefined> => {
    const left = await unlessUnknown(client.list(manifests, listed));
    return remaining(manifests, left?.items ?? []);
  };
  await pollUntil(world, look, say);
}

interface KindRemoval {
  readonly title: string;
  readonly kind: Resource;
  readonly namespace: string;
}

async function removeKind(world: World, steps: Steps, { title, kind, namespace }: KindRemoval): Promise<void> {
  const { client, io } = world;
  const list = async (): Promise<readonly AnyObject[]> => {
    const found = await unlessUnknown(client.list(kind, { namespace, signal: io.signal }));
    return found?.items ?? [];
  };
  await steps.run(title, async (say) => {
    for (const object of await list()) await remove(world, kind, object);
    await pollUntil(world, async () => remaining(kind, await list()), say);
  });
}

function remaining({ kind }: Resource, left: readonly AnyObject[]): string | undefined {
  if (left.length === 0) return undefined;
  const shown = left.map(({ metadata, status }) => {
    const { state = "", lastOperation } = (status ?? {}) as Pick<
      NonNullable<Kyma["status"]>,
      "state" | "lastOperation"
    >;
    const reason = [state, lastOperation?.operation ?? ""].filter((part) => part !== "").join(": ");
    return `${metadata.name ?? ""}${reason === "" ? "" : ` (${reason})`}`;
  });
  return `${kind} not gone yet: ${shown.join(", ")}`;
}

async function removeObjects(
  world: World,
  steps: Steps,
  { title, objects }: { readonly title: string; readonly objects: readonly AnyObject[] },
): Promise<void> {
  const { client, io } = world;
  await steps.run(title, async (say) => {
    for (const object of objects) {
      const resource = await unlessUnknown(resourceOf(client, object));
      if (resource !== undefined) await remove(world, resource, object);
    }
    const look = async (): Promise<string | undefined> => {
      for (const object of objects) {
        const resource = await unlessUnknown(resourceOf(client, object));
        if (resource === undefined) continue;
        const left = await optional(client.get(refTo(resource, object), { signal: io.signal }));
        if (left !== undefined) return remaining(resource, [left]);
      }
      return undefined;
    };
    await pollUntil(world, look, say);
  });
}

async function remove({ client, io }: World, resource: Resource, object: AnyObject): Promise<void> {
  await optional(client.delete(refTo(resource, object), { propagationPolicy: "Background", signal: io.signal }));
}
