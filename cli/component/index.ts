import type { CommandGroup } from "../command.ts";

/** `kyma component …`: component versions in files and registries. */
export const group: CommandGroup = {
  commands: [
    {
      name: "digest",
      summary: "print the digest of a component descriptor",
      load: async () => (await import("./digest.ts")).command,
    },
    {
      name: "get",
      summary: "show a component version, or save one of its resources",
      load: async () => (await import("./get.ts")).command,
    },
    { name: "sign", summary: "sign a component version", load: async () => (await import("./sign.ts")).command },
    {
      name: "verify",
      summary: "verify signature and contents of a component version",
      load: async () => (await import("./verify.ts")).command,
    },
  ],
};
