import type { EventRecorder } from "@kyma-operators/runtime";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { formatRfc3339 } from "../../modules/maintenance/calendar.ts";
import type { WindowState } from "../../modules/maintenance/upgrade-gate.ts";
import { nearestNames } from "../../modules/nearest.ts";
import type { ModuleProblem } from "../../modules/problems.ts";
import { isFailure, tellFailure, warningEvent } from "../../modules/warning-event.ts";

/** Records what happened to a Kyma, and a problem of a module only when it is new. */
export class Announcer {
  readonly #events: EventRecorder;
  /** Last problem said of each module, by Kyma; lost with the process, which costs one repeated event. */
  readonly #said = new Map<string, ReadonlyMap<string, string>>();

  constructor(events: EventRecorder) {
    this.#events = events;
  }

  normal(kyma: Kyma, reason: string, note: string): void {
    this.#events.event(kyma, { type: "Normal", reason, note });
  }

  warning(kyma: Kyma, reason: string, error: unknown): void {
    if (isFailure(error)) this.#events.event(kyma, warningEvent(reason, error));
  }

  /** The result of some work; its failure is told and passed on. */
  async tellFailure<T>(kyma: Kyma, reason: string, work: Promise<T>): Promise<T> {
    return tellFailure(work, { events: this.#events, regarding: kyma, reason });
  }

  /** Modules that are not to be had, with the nearest names; upgrades that wait, with the next window. */
  problems(
    kyma: Kyma,
    problems: ReadonlyMap<string, ModuleProblem>,
    hints: { readonly moduleNames: () => readonly string[]; readonly window: () => WindowState },
  ): void {
    const key = kyma.metadata.name ?? "";
    const before = this.#said.get(key);
    if (problems.size === 0 && before === undefined) return;
    for (const [module, { kind, message }] of problems) {
      if (before?.get(module) === message) continue;
      if (kind === "no-release-meta") this.warning(kyma, "UnknownModule", unknownModule(module, hints.moduleNames()));
      if (kind === "waiting") this.normal(kyma, "MaintenanceWindow", nextWindow(module, hints.window()));
    }
    if (problems.size === 0) this.#said.delete(key);
    else this.#said.set(key, new Map([...problems].map(([module, { message }]) => [module, message])));
  }

  forget(kymaName: string): void {
    this.#said.delete(kymaName);
  }
}

/** What to say of a module that the catalog does not know. */
export function unknownModule(module: string, known: readonly string[]): string {
  const near = nearestNames(module, known);
  return near.length === 0
    ? `module ${module} is not in the catalog`
    : `module ${module}: did you mean ${near.join(", ")}?`;
}

/** When an upgrade that waits will be made. */
export function nextWindow(module: string, state: WindowState): string {
  if (state.kind !== "closed") return `module ${module} waits for its maintenance window`;
  const { beginMs, beginOffset } = state.next;
  return `module ${module} waits for its maintenance window of ${formatRfc3339(beginMs, beginOffset)}`;
}
