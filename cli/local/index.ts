import type { CommandGroup } from "../command.ts";

/** `kyma local …`: a whole world on this machine. */
export const group: CommandGroup = {
  commands: [
    {
      name: "up",
      summary: "start a control plane, a Gardener and a registry on loopback",
      load: async () => (await import("./up.ts")).command,
    },
    {
      name: "status",
      summary: "show what runs and how far it is",
      load: async () => (await import("./status.ts")).command,
    },
    { name: "down", summary: "stop it and remove its data", load: async () => (await import("./down.ts")).command },
  ],
};
