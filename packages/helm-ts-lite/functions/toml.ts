import { readToml, TomlError, writeToml } from "../go/toml.ts";
import type { GoValue } from "../go/values.ts";
import { type FuncTable, func } from "./define.ts";

function orElse<T extends GoValue>(body: () => T, fallback: (message: string) => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof TomlError) return fallback(error.message);
    throw error;
  }
}

export const tomlFunctions: FuncTable = {
  toToml: func(["any"], (value, state) =>
    orElse(
      () => writeToml(value, state.runtime.functions.compat),
      (message) => message,
    ),
  ),
  fromToml: func(["string"], (text, state) =>
    orElse(
      () => readToml(text, state.runtime.functions.compat),
      (message) => new Map([["Error", message]]),
    ),
  ),
};
