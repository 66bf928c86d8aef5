import { textOf } from "@kyma-operators/errors";
import type { Clock } from "@kyma-operators/kube";
import { asText, type Fields, isFields } from "../../resources/kinds/edit.ts";
import { timestamp } from "../../system-clock.ts";
import { runProbe } from "./probe.ts";
import type { ContainerProcess, ProcessEnd } from "./system-process.ts";

/** The first restart comes at once, the next after this time, then twice as long each. */
const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
/** A container that ran so long starts its back-off anew. */
const healthyMs = 600_000;

export interface ContainerOptions {
  readonly container: Fields;
  readonly restartPolicy: string;
  /** `<pod>_<namespace>`, as messages name it. */
  readonly podName: string;
  readonly graceMs: number;
  readonly hostPorts: Readonly<Record<string, number>>;
  readonly restartCount: number;
  readonly clock: Clock;
  /** Starts the process; throws when its configuration is incomplete. */
  readonly launch: () => Promise<ContainerProcess>;
  /** Told after every change of what the getters answer. */
  readonly onChange: () => void;
}

/** One container as a process: started, probed, started again with growing delays, stopped. */
export class ContainerRun {
  readonly #options: ContainerOptions;
  #process: ContainerProcess | undefined;
  #startedAt = 0;
  #restarts: number;
  #backoffs = 0;
  #state: Fields = { waiting: { reason: "ContainerCreating" } };
  #lastState: Fields | undefined;
  #exitCode: number | undefined;
  #started = false;
  #ready = false;
  #begun = false;
  #stopping = false;
  #cancels: (() => void)[] = [];

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.#restarts = options.restartCount;
  }

  /** As in `status.containerStatuses`. */
  get status(): Fields {
    return {
      state: this.#state,
      ready: this.#ready,
      started: this.#started,
      restartCount: this.#restarts,
      ...(this.#lastState === undefined ? {} : { lastState: this.#lastState }),
    };
  }

  /** The exit code of a container that ended for good. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** Whether it was ever started. */
  get hasBegun(): boolean {
    return this.#begun;
  }

  async start(): Promise<void> {
    const { launch, clock, onChange } = this.#options;
    if (this.#stopping) return;
    this.#begun = true;
    try {
      const process = await launch();
      this.#process = process;
      this.#startedAt = clock.now();
      this.#state = { running: { startedAt: timestamp(this.#startedAt) } };
      void process.ended.then((end) => this.#onEnd(end));
      this.#watch();
    } catch (error) {
      this.#state = { waiting: { reason: "CreateContainerConfigError", message: textOf(error) } };
      this.#cancels.push(clock.after(firstBackoffMs, () => void this.start()));
    }
    onChange();
  }

  /** Ends the process within the grace period, for good. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#rest();
    await this.#process?.stop(graceMs);
  }

  /** Readiness and liveness are asked once the container has started, as its startup probe says. */
  #watch(): void {
    const { startupProbe } = this.#options.container;
    if (!isFields(startupProbe)) {
      this.#onStarted();
      return;
    }
    this.#probe(startupProbe, (passed) => (passed ? this.#onStarted() : this.#restart()));
  }

  #onStarted(): void {
    if (this.#started) return;
    this.#started = true;
    const { livenessProbe, readinessProbe } = this.#options.container;
    if (isFields(livenessProbe)) this.#probe(livenessProbe, (passed) => (passed ? undefined : this.#restart()));
    if (isFields(readinessProbe)) this.#probe(readinessProbe, (passed) => this.#setReady(passed));
    else this.#setReady(true);
    this.#options.onChange();
  }

  #probe(probe: Fields, onResult: (passed: boolean) => void): void {
    const { container, hostPorts, clock } = this.#options;
    this.#cancels.push(runProbe(probe, { container, hostPorts }, { clock, onResult }));
  }

  #setReady(ready: boolean): void {
    if (this.#ready === ready) return;
    this.#ready = ready;
    this.#options.onChange();
  }

  /** A container whose probe fails for good is stopped; its end decides what comes next. */
  #restart(): void {
    this.#rest();
    void this.#process?.stop(this.#options.graceMs);
  }

  #rest(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
  }

  #onEnd({ exitCode, message }: ProcessEnd): void {
    const { clock, restartPolicy, onChange } = this.#options;
    this.#rest();
    this.#process = undefined;
    this.#started = false;
    this.#ready = false;
    const terminated = {
      exitCode,
      reason: exitCode === 0 ? "Completed" : "Error",
      ...(message === undefined ? {} : { message }),
      startedAt: timestamp(this.#startedAt),
      finishedAt: timestamp(clock.now()),
    };
    this.#state = { terminated };
    const again = restartPolicy === "Always" || (restartPolicy === "OnFailure" && exitCode !== 0);
    if (again && !this.#stopping) this.#startAgain({ terminated });
    else this.#exitCode = exitCode;
    onChange();
  }

  #startAgain(ended: Fields): void {
    const { clock, container, podName } = this.#options;
    if (clock.now() - this.#startedAt >= healthyMs) this.#backoffs = 0;
    const delayMs = this.#backoffs === 0 ? 0 : Math.min(longestBackoffMs, firstBackoffMs * 2 ** (this.#backoffs - 1));
    this.#backoffs += 1;
    this.#lastState = ended;
    if (delayMs > 0) {
      const name = asText(container.name);
      const message = `back-off ${duration(delayMs)} restarting failed container=${name} pod=${podName}`;
      this.#state = { waiting: { reason: "CrashLoopBackOff", message } };
    }
    const begin = (): void => {
      this.#restarts += 1;
      void this.start();
    };
    this.#cancels.push(clock.after(delayMs, begin));
  }
}

/** As Go writes it: `10s`, `1m20s`, `5m0s`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
