import { type AnyObject, builtIn, type KubeObject, optional } from "@kyma-operators/kube";
import { pollUntil, type World } from "../poll.ts";
import { redactLog } from "../support-bundle/redaction.ts";
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
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly ready?: boolean;
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
  readonly lastState?: { readonly terminated?: Terminated };
}

/** How the former run of a container ended. */
interface Terminated {
  readonly exitCode?: number;
  readonly reason?: string;
  /** By the operator's policy the last lines of its log. */
  readonly message?: string;
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
  let failingSince: number | undefined;
  const look = async (): Promise<string | undefined> => {
    const found = await optional(
      world.client.get<Deployment>({ resource: deployments, ...key }, { signal: world.io.signal }),
    );
    if (found === undefined) return `Deployment ${key.namespace}/${key.name} does not exist`;
    const open = unavailability(found);
    if (open === undefined) return undefined;
    const own = newestOf(await podsOf(world, found));
    const failure = own.flatMap(failureOf)[0];
    // A container that crashes again and again runs in between, which is no progress.
    if (failure === undefined && !own.some(hasCrashed)) failingSince = undefined;
    if (failure === undefined) return open;
    const now = world.io.clock.now();
    failingSince ??= now;
    if (now - failingSince >= patienceMs)
      throw deployErrors.POD_FAILED({ deployment: `${key.namespace}/${key.name}`, ...failure });
    return `${open}; ${failureText(failure)}`;
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

async function podsOf({ client, io }: World, { metadata, spec }: Deployment): Promise<readonly AnyObject[]> {
  const selector = Object.entries(spec?.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const options = { namespace: metadata.namespace ?? "", labelSelector: selector.join(","), signal: io.signal };
  return (await client.list(pods, options)).items;
}

/** Pods of the newest template. Those of a former one go only once these are available, however badly they run. */
function newestOf(all: readonly AnyObject[]): readonly AnyObject[] {
  const templateOf = ({ metadata }: AnyObject) => metadata.labels?.["pod-template-hash"];
  const madeAt = ({ metadata }: AnyObject) => Date.parse(metadata.creationTimestamp ?? "");
  const newest = all.toSorted((a, b) => madeAt(a) - madeAt(b)).at(-1);
  return all.filter((pod) => newest !== undefined && templateOf(pod) === templateOf(newest));
}

function hasCrashed(pod: AnyObject): boolean {
  return containersOf(pod).some(
    ({ ready, lastState }) => ready !== true && (lastState?.terminated?.exitCode ?? 0) !== 0,
  );
}

/** What keeps the containers of a Pod from starting, with how they ended before. */
export function failureOf(pod: AnyObject): readonly PodFailure[] {
  return containersOf(pod).flatMap(({ state, lastState }) => {
    const { reason = "", message = "" } = state?.waiting ?? {};
    if (!fatal.has(reason)) return [];
    const whole = [message, ...endOf(lastState?.terminated)].join("; ");
    return [{ pod: pod.metadata.name ?? "", reason, message: whole }];
  });
}

/** A failure in one line. */
export function failureText({ pod, reason, message }: PodFailure): string {
  return `Pod ${pod}: ${reason}: ${message}`;
}

function containersOf(pod: AnyObject): readonly ContainerStatus[] {
  return (pod as Pod).status?.containerStatuses ?? [];
}

/** `Error` says no more than the exit code does. */
function endOf(terminated: Terminated | undefined): readonly string[] {
  if (terminated === undefined) return [];
  const { exitCode = 0, reason = "Error", message = "" } = terminated;
  const code = `exit code ${exitCode}${reason === "Error" ? "" : ` (${reason})`}`;
  const line = tellingLine(message);
  return [line === "" ? code : `${code}: ${line}`];
}

const longestLine = 500;

/** The line that names an error, or else the last one: what follows an error is where it came from. */
function tellingLine(log: string): string {
  const lines = redactLog(log)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const line = lines.findLast((each) => /error/i.test(each) && !each.startsWith("at ")) ?? lines.at(-1) ?? "";
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
