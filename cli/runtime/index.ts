import type { CommandGroup } from "../command.ts";

/** `kyma runtime …`: what a Runtime becomes, without a cluster. */
export const group: CommandGroup = {
  commands: [
    {
      name: "convert",
      summary: "print the Shoot that a Runtime becomes",
      load: async () => (await import("./convert.ts")).command,
    },
    {
      name: "validate",
      summary: "say what is wrong with a Runtime",
      load: async () => (await import("./validate.ts")).command,
    },
    {
      name: "diff",
      summary: "say what a Runtime would change in its Shoot",
      load: async () => (await import("./diff.ts")).command,
    },
    {
      name: "migrate",
      summary: "make Runtimes for Shoots that have none",
      load: async () => (await import("./migrate.ts")).command,
    },
  ],
};
