import { redact, textOf } from "@kyma-operators/errors";
import type { Io } from "../io.ts";
import type { ProgressFlags } from "./flags.ts";
import { liveTree } from "./live-tree.ts";
import type { Emit, Transition } from "./transition.ts";

/** Tells what a phase is doing. */
export interface Say {
  /** What is waited for. Lines with a `topic`, for example a module, take the place of its former one. */
  (text: string, topic?: string): void;
  /** For `--verbose` only. */
  readonly detail: (text: string) => void;
}

/** Tells of the phases of a command. */
export interface Steps {
  /** Runs one phase and tells how it ended. */
  run<T>(title: string, body: (say: Say) => Promise<T>): Promise<T>;
}

/** A tree that is redrawn on a terminal, plain lines elsewhere, one JSON event per transition, or silence. */
export function stepsOn(io: Io, flags: ProgressFlags): Steps {
  const emit = emitterFor(io, flags);
  return {
    async run(title, body) {
      const startMs = io.clock.now();
      const tell = (state: Transition["state"], more: Pick<Transition, "message" | "topic"> = {}): void => {
        const elapsedSeconds = Math.round((io.clock.now() - startMs) / 100) / 10;
        emit({ step: title, state, ...more, elapsedSeconds });
      };
      tell("started");
      try {
        const result = await body(sayFor(tell, flags.verbose ?? false));
        tell("done");
        return result;
      } catch (error) {
        tell("failed", { message: redact(textOf(error)) });
        throw error;
      }
    },
  };
}

function sayFor(tell: (state: "running", more: { message: string; topic?: string }) => void, verbose: boolean): Say {
  const say = (text: string, topic?: string): void =>
    tell("running", { message: redact(text), ...(topic === undefined ? {} : { topic }) });
  return Object.assign(say, { detail: (text: string): void => (verbose ? say(text) : undefined) });
}

function emitterFor(io: Io, { output, quiet, verbose }: ProgressFlags): Emit {
  if (quiet === true) return () => undefined;
  if (output === "json") return (transition) => io.stdout.write(`${JSON.stringify(transition)}\n`);
  return io.stdout.isTTY && verbose !== true ? liveTree(io) : plainLines(io);
}

function plainLines(io: Io): Emit {
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
