import type { CommandEntry } from "./command.ts";

/** Every command of `kyma`, in the order of `kyma --help`. */
export const commands: readonly CommandEntry[] = [
  {
    name: "version",
    summary: "print the version of this program",
    load: async () => (await import("./version.ts")).command,
  },
];
