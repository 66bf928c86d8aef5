import { InvalidArgumentError, Option } from "commander";
import { parseDurationMs } from "../apis/duration.ts";

/** `--timeout`, in milliseconds once parsed. */
export function timeoutOption(initialMs: number, initialText: string): Option {
  return new Option("--timeout <duration>", "how long to wait").default(initialMs, initialText).argParser((text) => {
    const ms = parseDurationMs(text);
    if (ms === undefined) throw new InvalidArgumentError("expected a duration such as 90s or 5m.");
    return ms;
  });
}
