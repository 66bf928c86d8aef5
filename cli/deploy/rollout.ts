import { type AnyObject, builtIn, type KubeObject, optional } from "@kyma-operators/kube";
import { pollUntil, type World } from "../poll.ts";
import { deployErrors } from "./errors.ts";

const { deployments, pods } = builtIn;

interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

interface Pod extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly {
      readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
    }[];
  };
}

/** Why a container does not start, where that will hardly pass by itself. */
const fatal: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "CrashLoopBackOff",
  "CreateContainerConfigError",
  "CreateContainerError",
]);

/** A pull may fail once while a registry restarts; what lasts longer is given up. */
const patienceMs = 60_000;

/**
 * Waits until every wanted replica of the Deployment runs and is available. Throws `DEPLOY_POD_FAILED` when a
 * container has not been able to start for a minute.
 */
export async function awaitDeployment(
  world: World,
  key: { readonly namespace: string; readonly name: string },
  say: (text: string) => void,
): Promise<void> {
  const failingSince = new Map<string, number>();
  const look = async (): Promise<string | undefined> => {
    const found = await optional(
      world.client.get<Deployment>({ resource: deployments, ...key }, { signal: world.io.signal }),
    );
    if (found === undefined) return `Deployment ${key.namespace}/${key.name} does not exist`;
    const open = unavailability(found);
    if (open === undefined) return undefined;
    const failure = await podFailure(world, found);
    if (failure === undefined) {
      failingSince.clear();
      return open;
    }
    const now = world.io.clock.now();
    const since = failingSince.get("pod") ?? now;
    failingSince.set("pod", since);
    if (now - since >= patienceMs)
      throw deployErrors.POD_FAILED({ deployment: `${key.namespace}/${key.name}`, ...failure });
    return `${open}; Pod ${failure.pod}: ${failure.reason}: ${failure.message}`;
  };
  await pollUntil(world, look, say);
}

/** What keeps a Deployment from being rolled out; undefined when nothing does. */
export function unavailability(object: KubeObject): string | undefined {
  const { metadata, spec, status } = object as Deployment;
  const name = `Deployment ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  if (status?.observedGeneration !== metadata.generation) return `${name}: not looked at yet`;
  const replicas = spec?.replicas ?? 1;
  const running = runningReplicas(status);
  return running >= replicas ? undefined : `${name}: ${running} of ${replicas} replicas are available`;
}

/** Replicas of the newest template that are available; an old one that still runs proves nothing. */
function runningReplicas({ updatedReplicas = 0, availableReplicas = 0 }: Deployment["status"] = {}): number {
  return Math.min(updatedReplicas, availableReplicas);
}

/** The first container that can't start. */
export interface PodFailure {
  readonly pod: string;
  readonly reason: string;
  readonly message: string;
}

async function podFailure({ client, io }: World, { metadata, spec }: Deployment): Promise<PodFailure | undefined> {
  const selector = Object.entries(spec?.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const options = { namespace: metadata.namespace ?? "", labelSelector: selector.join(","), signal: io.signal };
  const { items } = await client.list(pods, options);
  return items.flatMap(failureOf)[0];
}

/** What keeps the containers of a Pod from starting. */
export function failureOf(object: AnyObject): readonly PodFailure[] {
  const { metadata, status } = object as Pod;
  return (status?.containerStatuses ?? []).flatMap(({ state }) => {
    const { reason = "", message = "" } = state?.waiting ?? {};
    return fatal.has(reason) ? [{ pod: metadata.name ?? "", reason, message }] : [];
  });
}
