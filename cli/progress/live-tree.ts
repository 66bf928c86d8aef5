import type { Io } from "../io.ts";
import { fitting, formatAge } from "../table.ts";
import type { Emit, Transition } from "./transition.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 120;

/** Redraws the running phase with what it is waiting for beneath it; a phase that has ended stays as one line. */
export function liveTree(io: Io): Emit {
  const tree = new LiveTree(io);
  return (transition) => tree.take(transition);
}

class LiveTree {
  readonly #io: Io;
  readonly #topics = new Map<string, string>();
  #drawn = 0;
  #frame = 0;
  #startMs = 0;
  #stop: () => void = () => undefined;

  constructor(io: Io) {
    this.#io = io;
  }

  take({ step, state, message = "", topic = "", elapsedSeconds }: Transition): void {
    if (state === "started") {
      this.#startMs = this.#io.clock.now();
      this.#topics.clear();
      this.#animate(step);
      return;
    }
    if (state === "running") {
      this.#topics.set(topic, message);
      this.#draw(step);
      return;
    }
    this.#stop();
    const mark = state === "done" ? paint(this.#io, 32, "✔") : paint(this.#io, 31, "✖");
    const modules = [...this.#topics].filter(([name]) => name !== "").map(([, text]) => this.#detail(text));
    this.#replace([`${mark} ${step} ${paint(this.#io, 2, formatAge(Math.round(elapsedSeconds)))}`, ...modules]);
    this.#drawn = 0;
  }

  #animate(step: string): void {
    this.#draw(step);
    this.#stop = this.#io.clock.after(frameMs, () => {
      this.#frame += 1;
      this.#animate(step);
    });
  }

  #draw(step: string): void {
    const seconds = Math.floor((this.#io.clock.now() - this.#startMs) / 1000);
    const spinner = paint(this.#io, 36, frames[this.#frame % frames.length] ?? "");
    const head = `${spinner} ${step} ${paint(this.#io, 2, formatAge(seconds))}`;
    this.#replace([head, ...[...this.#topics.values()].map((text) => this.#detail(text))]);
  }

  #detail(text: string): string {
    return fitting(`    ${text.split("\n")[0] ?? ""}`, this.#io.stdout);
  }

  #replace(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}\n`).join("");
    // Up over what was drawn, then clear to the end of the screen.
    const clear = this.#drawn === 0 ? "" : `\u001b[${this.#drawn}A\u001b[J`;
    this.#io.stdout.write(clear + text);
    this.#drawn = lines.length;
  }
}

function paint({ env }: Io, color: number, text: string): string {
  return env["NO_COLOR"] === undefined || env["NO_COLOR"] === "" ? `\u001b[${color}m${text}\u001b[0m` : text;
}
