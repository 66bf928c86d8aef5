import type { CommandEntry } from "./command.ts";

/** Every command of `kyma`, in the order of `kyma --help`. */
export const commands: readonly CommandEntry[] = [
  {
    name: "deploy",
    summary: "set up a working runtime on a cluster",
    load: async () => (await import("./deploy/deploy.ts")).command,
  },
  {
    name: "undeploy",
    summary: "remove what kyma deploy has set up",
    load: async () => (await import("./undeploy.ts")).command,
  },
  {
    name: "status",
    summary: "say what runs, and what is unhappy and why",
    load: async () => (await import("./status.ts")).command,
  },
  {
    name: "support-bundle",
    summary: "collect what helps to find a fault into one archive",
    load: async () => (await import("./support-bundle/support-bundle.ts")).command,
  },
  {
    name: "dashboard",
    summary: "open the web page of the operator",
    load: async () => (await import("./dashboard.ts")).command,
  },
  {
    name: "local",
    summary: "run a whole world on this machine",
    load: async () => (await import("./local/index.ts")).group,
  },
  {
    name: "module",
    summary: "manage the modules of a Kyma",
    load: async () => (await import("./module/index.ts")).group,
  },
  {
    name: "runtime",
    summary: "convert, check and compare Runtimes",
    load: async () => (await import("./runtime/index.ts")).group,
  },
  {
    name: "component",
    summary: "read, digest, sign and verify component versions",
    load: async () => (await import("./component/index.ts")).group,
  },
  {
    name: "template",
    summary: "render a Helm chart and print its documents",
    load: async () => (await import("./template.ts")).command,
  },
  {
    name: "kustomize",
    summary: "build a kustomization and print its objects",
    load: async () => (await import("./kustomize.ts")).command,
  },
  {
    name: "explain-error",
    summary: "say what an error code means and what to do",
    load: async () => (await import("./explain-error.ts")).command,
  },
  {
    name: "completion",
    summary: "print a completion script for a shell",
    load: async () => (await import("./completion.ts")).completionOf(commands),
  },
  {
    name: "version",
    summary: "print the version of this program",
    load: async () => (await import("./version.ts")).command,
  },
];
