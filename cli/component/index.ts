import type { CommandGroup } from "../command.ts";

/** `kyma component …`: component versions in files and registries. */
export const group: CommandGroup = {
  commands: [
    {
      name: "digest",
      summary: "print the digest of a component descriptor",
      load: async () => (await import("./digest.ts")).command,
    },
  ],
};
