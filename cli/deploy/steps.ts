import { redact, textOf } from "@kyma-operators/errors";
import type { Io } from "../io.ts";

/** Tells of the phases of a command: one line when each ends, or one JSON event per transition. */
export interface Steps {
  /** Runs one phase and tells how it ended. `say` is for what it waits for. */
  run<T>(title: string, body: (say: (text: string) => void) => Promise<T>): Promise<T>;
}

export function stepsOn(io: Io, format: "text" | "json"): Steps {
  const emit = format === "json" ? jsonEvents(io) : textLines(io);
  return {
    async run(title, body) {
      const startMs = io.clock.now();
      const elapsedSeconds = (): number => Math.round((io.clock.now() - startMs) / 100) / 10;
      emit({ step: title, state: "started", elapsedSeconds: 0 });
      try {
        const result = await body((message) =>
          emit({ step: title, state: "running", message: redact(message), elapsedSeconds: elapsedSeconds() }),
        );
        emit({ step: title, state: "done", elapsedSeconds: elapsedSeconds() });
        return result;
      } catch (error) {
        emit({ step: title, state: "failed", message: redact(textOf(error)), elapsedSeconds: elapsedSeconds() });
        throw error;
      }
    },
  };
}

interface Transition {
  readonly step: string;
  readonly state: "started" | "running" | "done" | "failed";
  readonly message?: string;
  readonly elapsedSeconds: number;
}

function jsonEvents(io: Io): (transition: Transition) => void {
  return (transition) => io.stdout.write(`${JSON.stringify(transition)}\n`);
}

function textLines(io: Io): (transition: Transition) => void {
  return ({ step, state, message = "", elapsedSeconds }) => {
    const lines = {
      started: "",
      running: `  ${step}: ${message}\n`,
      done: `- ${step} (${elapsedSeconds.toFixed(1)}s)\n`,
      failed: `X ${step} (${elapsedSeconds.toFixed(1)}s)\n`,
    };
    if (lines[state] !== "") io.stdout.write(lines[state]);
  };
}
