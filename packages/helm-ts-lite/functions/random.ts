import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { int } from "../go/int.ts";
import { GoError } from "../template/errors.ts";
import type { State } from "../template/state.ts";
import { type FuncTable, func } from "./define.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("");

function randomText(count: number, chars: string, state: State): string {
  if (count <= 0) return "";
  state.runtime.functions.charge(count);
  return Array.from({ length: count }, () => chars.charAt(randomInt(chars.length))).join("");
}

function shuffle(text: string): string {
  const chars = Array.from(text);
  for (let index = chars.length - 1; index > 0; index--) {
    const other = randomInt(index + 1);
    const held = chars[index] ?? "";
    chars[index] = chars[other] ?? "";
    chars[other] = held;
  }
  return chars.join("");
}

/** Beyond this, `randomInt` refuses the range. */
const maxRange = 2 ** 48 - 1;

function between(min: number, max: number): number {
  if (max <= min) throw new GoError("invalid argument to Intn");
  return min + randomInt(Math.min(max - min, maxRange));
}

export const randomFunctions: FuncTable = {
  shuffle: func(["string"], shuffle),
  randAlpha: func(["int"], (count, state) => randomText(count, letters, state)),
  randAlphaNum: func(["int"], (count, state) => randomText(count, letters + digits, state)),
  randNumeric: func(["int"], (count, state) => randomText(count, digits, state)),
  randAscii: func(["int"], (count, state) => randomText(count, ascii, state)),
  randInt: func(["int", "int"], (min, max) => int(between(min, max))),
  randBytes: func(["int"], (count, state) => {
    if (count < 0) throw new GoError("runtime error: makeslice: len out of range");
    state.runtime.functions.charge(count);
    return randomBytes(count).toString("base64");
  }),
  uuidv4: func([], () => randomUUID()),
};
