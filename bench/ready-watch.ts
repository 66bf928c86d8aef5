import type { Kyma } from "../apis/operator/kyma.ts";
import type { KymaFleet } from "./kyma-fleet.ts";
import { cpuSeconds } from "./measurement.ts";

const stepMs = 100;
const patienceMs = 1_800_000;

interface Expected {
  readonly since: number;
  readonly isDone: (kyma: Kyma) => boolean;
}

/**
 * Measures how long Kymas need until they look as expected: what a clock would show on a machine with nothing else to do,
 * which is the simulated time that passes plus the processor time that this process uses.
 */
export class ReadyWatch {
  readonly #fleet: KymaFleet;
  readonly #stopped = new AbortController();
  readonly #expected = new Map<string, Expected>();
  #times: number[] = [];
  #failure: unknown;
  #milestone: { readonly count: number; readonly reached: () => void } | undefined;

  constructor(fleet: KymaFleet) {
    this.#fleet = fleet;
    const watching = fleet.watchKymas((kyma) => this.#saw(kyma), this.#stopped.signal);
    watching.catch((error: unknown) => (this.#failure = error));
  }

  stop(): void {
    this.#stopped.abort(new Error("the benchmark is over"));
  }

  /** From now on, until the Kyma is seen so. */
  expect(name: string, isDone: (kyma: Kyma) => boolean): void {
    this.#expected.set(name, { since: this.#elapsedMs(), isDone });
  }

  /** Calls back in the moment in which so many of those expected are done. */
  at(count: number, reached: () => void): void {
    this.#milestone = { count, reached };
  }

  /** Lets time pass until all that are expected are done; milliseconds that each of them took. */
  async all(): Promise<readonly number[]> {
    const end = this.#fleet.clock.now() + patienceMs;
    for (;;) {
      await this.#fleet.untilQuiet();
      if (this.#expected.size === 0) break;
      if (this.#failure !== undefined) throw this.#failure;
      const open = [...this.#expected.keys()].slice(0, 5).join(", ");
      if (this.#fleet.clock.now() > end) throw new Error(`never done: ${open}`);
      await this.#fleet.clock.advance(stepMs);
    }
    const times = this.#times;
    this.#times = [];
    return times;
  }

  #saw(kyma: Kyma): void {
    const name = kyma.metadata.name ?? "";
    const expected = this.#expected.get(name);
    if (expected?.isDone(kyma) !== true) return;
    this.#expected.delete(name);
    this.#times.push(this.#elapsedMs() - expected.since);
    if (this.#times.length === this.#milestone?.count) {
      const { reached } = this.#milestone;
      this.#milestone = undefined;
      reached();
    }
  }

  #elapsedMs(): number {
    return this.#fleet.clock.now() + cpuSeconds() * 1_000;
  }
}
