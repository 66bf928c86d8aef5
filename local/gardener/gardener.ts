import { projectNamespace, type Shoot, shootResource } from "@kyma-operators/gardener";
import {
  type AnyObject,
  type Client,
  type Clock,
  createClient,
  systemClock,
  transportFrom,
} from "@kyma-operators/kube";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../../apiserver/index.ts";
import { kubeconfigSubresources } from "./admin-kubeconfig.ts";
import { shootAdmission } from "./admission.ts";
import { ShootClusters } from "./clusters.ts";
import { gardenCrds, shootCrds } from "./crd-files.ts";
import { follow, install } from "./garden-client.ts";
import { Gardenlet } from "./gardenlet.ts";
import { gardenerUser } from "./identity.ts";
import { landscapeOf } from "./landscape.ts";
import { shootSurroundings } from "./surroundings.ts";
import { type Failure, noDelays, type Timings } from "./timeline.ts";

export interface GardenerOptions {
  readonly clock?: Clock;
  /** Default: nothing takes any time. */
  readonly timings?: Partial<Timings>;
  /** Default `kyma-dev`; its namespace is `garden-<project>`. */
  readonly project?: string;
  /** The objects around the Shoots. Default {@link landscapeOf} the project. */
  readonly landscape?: readonly AnyObject[];
  /** `false`: only what the API server checks by itself, without catalogue, references and extensions. Default true. */
  readonly admissionPlugins?: boolean;
  /** Default `shoot.example.test`. */
  readonly defaultDomain?: string;
  /** Longest lifetime of an admin kubeconfig, in seconds. Default a day. */
  readonly maxKubeconfigSeconds?: number;
  /** Options of the garden's own API server. */
  readonly server?: Omit<ApiServerOptions, "crds" | "extensions" | "clock" | "signal">;
  /** Options of a Shoot's API server. */
  readonly shootServer?: (shoot: Shoot) => ApiServerOptions;
}

/** A Gardener in this process: its API, and one API server per Shoot. */
export interface Gardener {
  readonly server: ApiServer;
  /** Namespace of the project. */
  readonly namespace: string;
  /** The API server of a Shoot, once it is up. */
  shootCluster(namespace: string, name: string): Promise<ApiServer> | undefined;
  /** Plays these failures in the next attempts at operations of a Shoot of the project. */
  fail(shootName: string, ...failures: readonly Failure[]): void;
  /** Resolves when no Shoot is being worked on. */
  idle(): Promise<void>;
  /** Whether something runs that takes real time whatever the clock says: a server that starts, a key that is made. */
  isWorking(): boolean;
  /** Resolves when nothing of that kind runs. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a simulated Gardener: admission, defaults, scheduling, operations, kubeconfigs, deletion.
 *
 * For demos and tests. No infrastructure is built; the cluster of a Shoot is an embedded API server.
 */
export async function startGardener(options: GardenerOptions = {}): Promise<Gardener> {
  const { clock = systemClock, project = "kyma-dev" } = options;
  const stopped = new AbortController();
  const clusters = new ShootClusters((shoot) => ({ clock, crds: shootCrds(), ...options.shootServer?.(shoot) }));
  const late: { gardenlet?: Gardenlet; client?: Client } = {};
  const surroundings = {
    admit: (next: Shoot, old: Shoot | undefined, user: string) =>
      shootSurroundings({
        client: defined(late.client),
        clock,
        domains: () => late.gardenlet?.domains() ?? [],
      }).admit(next, old, user),
  };
  const server = await startApiServer({
    ...options.server,
    clock,
    crds: gardenCrds(),
    extensions: [
      {
        group: shootResource.group,
        resource: shootResource.plural,
        ...shootAdmission(options.admissionPlugins === false ? undefined : surroundings),
        subresources: kubeconfigSubresources({ clusters, clock, maxSeconds: options.maxKubeconfigSeconds ?? 86_400 }),
      },
    ],
  });
  const client = createClient({
    transport: transportFrom(server.transportFor(gardenerUser)),
    clock,
    userAgent: "gardener",
  });
  const gardenlet = new Gardenlet({
    client,
    clock,
    clusters,
    timings: { ...noDelays, ...options.timings },
    defaultDomain: options.defaultDomain ?? "shoot.example.test",
    signal: stopped.signal,
  });
  late.client = client;
  late.gardenlet = gardenlet;
  await install(client, options.landscape ?? landscapeOf(project, clock.now()));
  const following = follow(client, { gardenlet, clock, signal: stopped.signal });

  return {
    server,
    namespace: projectNamespace(project),
    shootCluster: (namespace, name) => clusters.get(`${namespace}/${name}`),
    fail: (name, ...failures) => gardenlet.fail(`${projectNamespace(project)}/${name}`, failures),
    idle: () => gardenlet.idle(),
    isWorking: () => clusters.isWorking,
    settled: () => clusters.settled(),
    stop: async () => {
      stopped.abort();
      await Promise.allSettled([following, gardenlet.idle()]);
      await clusters.stop();
      await client.close();
      await server.stop();
    },
  };
}

function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the garden is still starting");
  return value;
}
