import { type Command, Option } from "commander";

/** How a command tells of its progress. */
export interface ProgressFlags {
  readonly output: "text" | "json";
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export function withProgressFlags(command: Command): Command {
  return command
    .option("-q, --quiet", "say nothing but errors")
    .option("-v, --verbose", "name every object that is written")
    .addOption(
      new Option("-o, --output <format>", "progress as text or JSON events").choices(["text", "json"]).default("text"),
    );
}
