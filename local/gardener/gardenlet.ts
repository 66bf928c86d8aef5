import {
  gardenerAnnotations,
  type LastOperation,
  nonRetryableByGardener,
  type OperationType,
  type Shoot,
  seedResource,
  shootResource,
} from "@kyma-operators/gardener";
import { type Client, type Clock, type ObjectRef, optional, timeText } from "@kyma-operators/kube";
import { keyOf, type ShootClusters } from "./clusters.ts";
import { maintain } from "./maintenance.ts";
import { placeShoot } from "./scheduler.ts";
import { errorOf, finishedStatus, identityOf } from "./status.ts";
import { type GardenShoot, nextTask, shootFinalizer, type Task } from "./task.ts";
import { type Failure, type Step, type Timings, timelineOf } from "./timeline.ts";

const refreshMs = 100;

export interface GardenletOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly clusters: ShootClusters;
  readonly timings: Timings;
  /** Domain under which Shoots without one of their own get theirs. */
  readonly defaultDomain: string;
  readonly signal: AbortSignal;
}

/**
 * Scheduler and gardenlet in one: takes Shoots through their operations.
 *
 * Everything it decides on is read from the Shoot, so that it can stop anywhere and start again.
 */
export class Gardenlet {
  readonly #options: GardenletOptions;
  readonly #latest = new Map<string, GardenShoot>();
  readonly #busy = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, Failure[]>();

  constructor(options: GardenletOptions) {
    this.#options = options;
  }

  /** Plays these failures in the next attempts at operations of the Shoot. */
  fail(key: string, failures: readonly Failure[]): void {
    this.#failures.set(key, [...(this.#failures.get(key) ?? []), ...failures]);
  }

  /** Domains in use, by Shoot. */
  *domains(): Iterable<readonly [string, string]> {
    for (const [key, { spec }] of this.#latest) if (spec.dns?.domain !== undefined) yield [key, spec.dns.domain];
  }

  /** Every Shoot that is there, as last seen. */
  shoots(): readonly Shoot[] {
    return [...this.#latest.values()];
  }

  /** Takes note of a Shoot's state and works on it in the background. */
  observe(shoot: GardenShoot): void {
    const key = keyOf(shoot);
    const known = this.#latest.get(key);
    if (known !== undefined && Number(known.metadata.resourceVersion) > Number(shoot.metadata.resourceVersion)) return;
    this.#latest.set(key, shoot);
    if (this.#busy.has(key)) return;
    this.#busy.set(
      key,
      Promise.resolve().then(() => this.#work(key)),
    );
  }

  async vanished(shoot: GardenShoot): Promise<void> {
    const key = keyOf(shoot);
    this.#latest.delete(key);
    this.#failures.delete(key);
    await this.#options.clusters.remove(key);
  }

  /** Resolves when no Shoot is being worked on. */
  async idle(): Promise<void> {
    await Promise.all(this.#busy.values());
  }

  async #work(key: string): Promise<void> {
    for (;;) {
      const shoot = this.#latest.get(key);
      const task = shoot === undefined || this.#options.signal.aborted ? undefined : nextTask(shoot);
      if (shoot === undefined || task === undefined) break;
      await this.#perform(task, shoot).catch(() => this.#refresh(shoot));
    }
    // In the same turn as the last look: whatever is observed from now on starts anew.
    this.#busy.delete(key);
  }

  /** After a write that failed: the Shoot as it is now, a moment later. */
  async #refresh(shoot: GardenShoot): Promise<void> {
    const { client, clock, signal } = this.#options;
    await clock.sleep(refreshMs, signal).catch(() => undefined);
    const current = await optional(client.get<GardenShoot>(refOf(shoot))).catch(() => shoot);
    if (current === undefined) this.#latest.delete(keyOf(shoot));
    else if (this.#latest.has(keyOf(shoot))) this.#latest.set(keyOf(shoot), current);
  }

  async #perform(task: Task, shoot: GardenShoot): Promise<void> {
    switch (task.kind) {
      case "schedule":
        return this.#schedule(shoot);
      case "claim":
        return this.#patch(shoot, { metadata: { finalizers: [shootFinalizer] } });
      case "maintain":
        return this.#maintain(shoot);
      case "forget":
        await this.#patch(shoot, { metadata: { finalizers: null } });
        return void this.#latest.delete(keyOf(shoot));
      case "operate":
        return this.#operate(shoot, task.type);
    }
  }

  async #schedule(shoot: GardenShoot): Promise<void> {
    const { client, clock, timings, defaultDomain, signal } = this.#options;
    await pause(clock, timings.scheduleMs, signal);
    const { items: seeds } = await client.list(seedResource, { signal });
    const placement = placeShoot(shoot, seeds);
    if ("problem" in placement) {
      await this.#report(shoot, { type: "Create", state: "Pending", progress: 0, description: placement.problem });
      // A Seed may appear; until then nothing else is due.
      await pause(clock, Math.max(timings.retryMs, 1_000), signal);
      return;
    }
    const project = (shoot.metadata.namespace ?? "").replace(/^garden-/, "");
    const domain = shoot.spec.dns?.domain ?? `${shoot.metadata.name ?? ""}.${project}.${defaultDomain}`;
    await this.#patch(shoot, { spec: { seedName: placement.seedName, dns: { domain } } });
  }

  async #maintain(shoot: GardenShoot): Promise<void> {
    const spec = await maintain(this.#options.client, shoot);
    const annotations = { [gardenerAnnotations.operation]: null };
    await this.#patch(shoot, { metadata: { annotations }, ...(spec === undefined ? {} : { spec }) });
  }

  async #operate(begun: GardenShoot, type: OperationType): Promise<void> {
    const { clock, clusters, timings, signal } = this.#options;
    const { steps, success, durationMs } = timelineOf(type, timings);
    const shoot = await this.#withoutOperationRequest(begun);
    const failure = this.#failures.get(keyOf(shoot))?.shift();
    const generation = shoot.metadata.generation ?? 1;
    for (const step of stepsUntil(steps, failure)) {
      if (this.#isOvertaken(shoot, type)) return;
      if (step.hasApiServer) await clusters.ensure(shoot);
      await this.#progress(shoot, type, { step, generation });
      await pause(clock, durationMs * step.share, signal);
    }
    if (failure !== undefined) return this.#failed(shoot, type, failure);
    const operation = { type, state: "Succeeded", progress: 100, description: success } as const;
    await this.#report(shoot, operation, {
      lastErrors: null,
      ...finishedStatus(shoot, timeText(this.#options.clock.now())),
    });
  }

  /** A deletion does not wait for the operation before it. */
  #isOvertaken(shoot: GardenShoot, type: OperationType): boolean {
    const now = this.#latest.get(keyOf(shoot));
    return now === undefined || (type !== "Delete" && now.metadata.deletionTimestamp !== undefined);
  }

  async #progress(
    shoot: GardenShoot,
    type: OperationType,
    { step, generation }: { readonly step: Step; readonly generation: number },
  ): Promise<void> {
    const server = await this.#options.clusters.get(keyOf(shoot));
    const addresses = ["external", "internal"].map((name) => ({ name, url: server?.url ?? "" }));
    await this.#report(
      shoot,
      { type, state: "Processing", progress: step.progress, description: step.description },
      {
        observedGeneration: generation,
        ...identityOf(shoot),
        ...(server === undefined ? {} : { advertisedAddresses: addresses }),
      },
    );
  }

  async #failed(shoot: GardenShoot, type: OperationType, failure: Failure): Promise<void> {
    const { clock, timings, signal } = this.#options;
    const errors = failure.errors ?? [errorOf(failure)];
    const codes = errors.flatMap((error) => error.codes ?? []);
    const state = failure.state ?? (codes.some((code) => nonRetryableByGardener.has(code)) ? "Failed" : "Error");
    const texts = errors.map(({ description }) => description).join(", ") || "task failed";
    const description = state === "Error" ? `${texts} Operation will be retried.` : texts;
    const lastUpdateTime = timeText(clock.now());
    await this.#report(
      shoot,
      { type, state, progress: failure.progress ?? 43, description },
      { lastErrors: errors.map((error) => ({ lastUpdateTime, ...error })) },
    );
    if (state !== "Failed") await pause(clock, timings.retryMs, signal);
  }

  async #withoutOperationRequest(shoot: GardenShoot): Promise<GardenShoot> {
    if (shoot.metadata.annotations?.[gardenerAnnotations.operation] === undefined) return shoot;
    await this.#patch(shoot, { metadata: { annotations: { [gardenerAnnotations.operation]: null } } });
    return this.#latest.get(keyOf(shoot)) ?? shoot;
  }

  async #report(
    shoot: GardenShoot,
    operation: Omit<LastOperation, "lastUpdateTime">,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const lastOperation = { ...operation, lastUpdateTime: timeText(this.#options.clock.now()) };
    const status = { ...identityOf(shoot), lastOperation, ...more };
    await this.#patch(shoot, { status }, "status");
  }

  async #patch(shoot: GardenShoot, patch: unknown, subresource?: string): Promise<void> {
    const { client, signal } = this.#options;
    const options = { signal, fieldManager: "gardenlet", ...(subresource === undefined ? {} : { subresource }) };
    const written = await client.mergePatch<GardenShoot>(refOf(shoot), patch, options);
    // Our own write comes back through the watch later; the next step builds on it now.
    const key = keyOf(shoot);
    if (this.#latest.has(key)) this.#latest.set(key, written);
  }
}

function stepsUntil(steps: readonly Step[], failure: Failure | undefined): readonly Step[] {
  return failure === undefined ? steps : steps.filter(({ progress }) => progress <= (failure.progress ?? 43));
}

function refOf({ metadata }: GardenShoot): ObjectRef {
  return { resource: shootResource, namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs > 0) await clock.sleep(delayMs, signal);
}
