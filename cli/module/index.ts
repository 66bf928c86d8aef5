import type { CommandGroup } from "../command.ts";

/** `kyma module …`: the modules of one Kyma. */
export const group: CommandGroup = {
  commands: [
    { name: "list", summary: "list the enabled modules", load: async () => (await import("./list.ts")).command },
    {
      name: "catalog",
      summary: "list the modules that can be enabled",
      load: async () => (await import("./catalog.ts")).command,
    },
    {
      name: "enable",
      summary: "enable a module, or change its channel",
      load: async () => (await import("./enable.ts")).command,
    },
    {
      name: "create",
      summary: "make a module version and push it to a registry",
      load: async () => (await import("./create/create.ts")).command,
    },
    {
      name: "push",
      summary: "push a module that was written to an archive",
      load: async () => (await import("./push.ts")).command,
    },
    { name: "disable", summary: "disable a module", load: async () => (await import("./disable.ts")).command },
    { name: "manage", summary: "manage a module again", load: async () => (await import("./manage.ts")).manage },
    {
      name: "unmanage",
      summary: "leave a module on the cluster alone",
      load: async () => (await import("./manage.ts")).unmanage,
    },
    {
      name: "pull",
      summary: "store the template of a community module",
      load: async () => (await import("./pull.ts")).command,
    },
    {
      name: "plan",
      summary: "show what a Kyma would produce, without a cluster",
      load: async () => (await import("./plan.ts")).command,
    },
    {
      name: "wait",
      summary: "wait until a module, or all, are Ready",
      load: async () => (await import("./wait.ts")).command,
    },
  ],
};
