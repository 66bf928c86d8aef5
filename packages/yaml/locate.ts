import { findControl } from "./chars.ts";
import type { Position } from "./errors.ts";
import { Parser, type YamlEvents } from "./parser.ts";
import { positionAt } from "./position.ts";
import { YamlProblem } from "./tokens.ts";

export type YamlPath = readonly (string | number)[];

/**
 * Where the entries of a text's first document begin, for messages about values that were read from it. An entry that
 * is not there is found at its nearest parent; undefined where there is none, and for a text that is no YAML.
 */
export function locateYaml(text: string): (path: YamlPath) => Position | undefined {
  const locator = new Locator();
  try {
    new Parser(text, findControl(text), locator).document();
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
  }
  return (path) => {
    const offset = locator.offsetOf(path);
    return offset === undefined ? undefined : positionAt(text, offset);
  };
}

interface Frame {
  readonly kind: "map" | "list";
  /** The key whose value comes next, or the index of the next item. */
  at: string | number | undefined;
}

/** Remembers where each path was first seen. */
class Locator implements YamlEvents {
  readonly #offsets = new Map<string, number>();
  readonly #frames: Frame[] = [];

  offsetOf(path: YamlPath): number | undefined {
    for (let length = path.length; length > 0; length--) {
      const offset = this.#offsets.get(keyOf(path.slice(0, length)));
      if (offset !== undefined) return offset;
    }
    return undefined;
  }

  startDocument(): void {
    this.#frames.length = 0;
  }

  endDocument(): void {}

  scalar(source: string, { offset }: { readonly offset: number }): void {
    const top = this.#frames.at(-1);
    if (top?.kind === "map" && top.at === undefined) {
      top.at = source;
      this.#note(offset);
      return;
    }
    this.#note(offset);
    this.#next();
  }

  startList(): void {
    this.#frames.push({ kind: "list", at: 0 });
  }

  startMap(): void {
    this.#frames.push({ kind: "map", at: undefined });
  }

  end(): void {
    this.#frames.pop();
    this.#next();
  }

  alias(name: string, offset: number): void {
    this.scalar(name, { offset });
  }

  /** An item of a list begins where the first thing in it does. */
  #note(offset: number): void {
    const path = this.#frames.flatMap(({ at }) => (at === undefined ? [] : [at]));
    for (let length = path.length; length > 0; length--) {
      const key = keyOf(path.slice(0, length));
      if (this.#offsets.has(key)) return;
      this.#offsets.set(key, offset);
    }
  }

  #next(): void {
    const top = this.#frames.at(-1);
    if (top === undefined) return;
    top.at = top.kind === "list" ? Number(top.at) + 1 : undefined;
  }
}

function keyOf(path: YamlPath): string {
  return JSON.stringify(path);
}
