import type { FaultPlan, RequestFault } from "./faults.ts";
import { SeededRandom } from "./seeded-random.ts";

/** What goes wrong between a process and a cluster, by chance; nothing gets through while it is cut off. */
export class Trouble implements FaultPlan {
  isCutOff = false;
  rate = 0.04;
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  request(): RequestFault | undefined {
    if (this.isCutOff) return { kind: "reset" };
    if (!this.#random.chance(this.rate)) return undefined;
    return this.#random.pick<RequestFault>([
      { kind: "answer", status: 409 },
      { kind: "answer", status: 410 },
      { kind: "answer", status: 429, retryAfterSeconds: 1 },
      { kind: "answer", status: 500 },
      { kind: "answer", status: 503 },
      { kind: "reset" },
      { kind: "lost-answer" },
      { kind: "delay", delayMs: 3_000 },
      { kind: "stale-list" },
    ]);
  }

  event(): ReturnType<NonNullable<FaultPlan["event"]>> {
    if (this.isCutOff) return { kind: "break" };
    if (!this.#random.chance(this.rate * 2)) return undefined;
    return this.#random.pick([
      { kind: "drop" },
      { kind: "drop" },
      { kind: "duplicate" },
      { kind: "delay", delayMs: 5_000 },
      { kind: "break" },
    ] as const);
  }
}
