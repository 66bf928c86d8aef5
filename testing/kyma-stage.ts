import type { AnyObject, ObjectKey } from "@kyma-operators/kube";
import { apiVersion } from "../apis/operator/group.ts";
import type { Kyma, KymaStatus, ModuleStatus } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { names } from "../apis/operator/names.ts";
import { type LifecycleWorld, restarted, startLifecycleWorld, type WorldFaults } from "./lifecycle-world.ts";

/** Adds the controllers under test to a world; the answer tells the Kyma controller of remote changes. */
export type WireControllers = (world: LifecycleWorld) => { remoteChanged(key: ObjectKey): void };

/** A world in which a test plays the user, the watcher and the Manifest controller of one Kyma. */
export class KymaStage {
  world: LifecycleWorld;
  readonly #wire: WireControllers;
  #controller: ReturnType<WireControllers>;

  private constructor(world: LifecycleWorld, wire: WireControllers) {
    this.world = world;
    this.#wire = wire;
    this.#controller = wire(world);
    world.start();
  }

  static async open(wire: WireControllers, ...objects: readonly AnyObject[]): Promise<KymaStage> {
    return KymaStage.openWith({}, wire, ...objects);
  }

  /** {@link open} in a world where things go wrong on the way to the clusters. */
  static async openWith(
    faults: WorldFaults,
    wire: WireControllers,
    ...objects: readonly AnyObject[]
  ): Promise<KymaStage> {
    const world = await startLifecycleWorld(faults);
    await world.kcp.apply(...objects);
    return new KymaStage(world, wire);
  }

  async close(): Promise<void> {
    await this.world.stop();
  }

  /** A new process on the same clusters. */
  async restart(): Promise<void> {
    await this.world.halt();
    this.world = restarted(this.world);
    this.#controller = this.#wire(this.world);
    this.world.start();
  }

  async kyma(cluster: "kcp" | "skr" = "kcp"): Promise<Kyma | undefined> {
    const found = await this.world[cluster].list(apiVersion, "Kyma").catch(() => []);
    return found[0] as unknown as Kyma | undefined;
  }

  async status(cluster: "kcp" | "skr" = "kcp"): Promise<KymaStatus> {
    return (await this.kyma(cluster))?.status ?? {};
  }

  async module(name: string, cluster: "kcp" | "skr" = "kcp"): Promise<ModuleStatus | undefined> {
    return (await this.status(cluster)).modules?.find((module) => module.name === name);
  }

  async manifests(): Promise<readonly Manifest[]> {
    return (await this.world.kcp.list(apiVersion, "Manifest")) as unknown as readonly Manifest[];
  }

  async manifest(module: string): Promise<Manifest | undefined> {
    const label = "operator.kyma-project.io/module-name";
    return (await this.manifests()).find(({ metadata }) => metadata.labels?.[label] === module);
  }

  /** Names of objects on the remote cluster. */
  async remoteNames(kind: string): Promise<readonly (string | undefined)[]> {
    const found = await this.world.skr.list(apiVersion, kind).catch(() => []);
    return found.map(({ metadata }) => metadata.name);
  }

  /** Notes of the events of a reason. */
  async notes(reason: string): Promise<readonly string[]> {
    const events = await this.world.kcp.list("events.k8s.io/v1", "Event");
    return events.filter((event) => event["reason"] === reason).map((event) => String(event["note"]));
  }

  async until(condition: () => Promise<boolean>): Promise<void> {
    await this.world.clock.until(condition);
  }

  /** Waits for a state on both clusters while Manifests become Ready. */
  async settle(state: string): Promise<void> {
    await this.until(async () => {
      await this.report("Ready");
      return (await this.status("kcp")).state === state && (await this.status("skr")).state === state;
    });
  }

  /** What the Manifest controller would report of every Manifest. */
  async report(state: string, operation = "resources are ready"): Promise<void> {
    const status = { state, lastOperation: { operation } };
    for (const { metadata } of await this.manifests())
      await this.patch("Manifest", metadata.name ?? "", { status }, "status");
  }

  /** What a user says on the remote cluster, and the watcher that tells of it. */
  async choose(spec: object): Promise<void> {
    const resource = await this.world.skr.resource(apiVersion, "Kyma");
    const ref = { resource, namespace: names.remoteNamespace, name: names.remoteKyma };
    await this.world.skr.client.mergePatch(ref, { spec });
    await this.tell();
  }

  /** Tells the controller that the remote cluster has changed. */
  async tell(): Promise<void> {
    const { name = "", namespace = "" } = (await this.kyma())?.metadata ?? {};
    this.#controller.remoteChanged({ name, namespace });
  }

  async patch(kind: string, name: string, patch: object, subresource?: string): Promise<void> {
    const resource = await this.world.kcp.resource(apiVersion, kind);
    const ref = { resource, namespace: names.controlPlaneNamespace, name };
    await this.world.kcp.client.mergePatch(ref, patch, subresource === undefined ? {} : { subresource });
  }

  async remove(kind: string, name: string): Promise<void> {
    const resource = await this.world.kcp.resource(apiVersion, kind);
    await this.world.kcp.client.delete({ resource, namespace: names.controlPlaneNamespace, name });
  }
}
