import { Command, InvalidArgumentError, Option } from "commander";

/** What the command line of `kyma-apiserver` says. */
export interface ApiServerFlags {
  readonly host: string;
  readonly port: number;
  readonly kubeconfig?: string;
  readonly dataDir?: string;
  readonly fsync?: true;
  readonly authorizationMode: "AlwaysAllow" | "RBAC";
  readonly auditLog?: string;
  readonly crd: readonly string[];
  readonly workload: boolean;
  readonly readyDelay: number;
  readonly runOwnImage?: string | true;
}

/** The image of the suite, and the name the operator gives it as agent of the watcher. */
export const ownImages: readonly string[] = ["kyma-operators", "runtime-watcher"];

/** The command line of `kyma-apiserver`; what is wrong with it is one line that starts with `Error: `. */
export function apiServerCommand(): Command {
  return new Command("kyma-apiserver")
    .description("A Kubernetes API server for local work and tests. It is no substitute for a cluster.")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 takes a free one", numberIn(0, 65_535), 0)
    .option("--kubeconfig <file>", "write an administrator's kubeconfig to this file once the server answers")
    .option("--data-dir <folder>", "keep objects and keys here; without it everything is in memory")
    .option("--fsync", "with --data-dir: wait for the disk on every write")
    .addOption(
      new Option("--authorization-mode <mode>", "who may do what")
        .choices(["AlwaysAllow", "RBAC"])
        .default("AlwaysAllow"),
    )
    .option("--audit-log <file>", "append one JSON line per request to this file; - is standard output")
    .option(
      "--crd <file>",
      "serve the CustomResourceDefinitions of this file; may be given more than once",
      collect,
      [],
    )
    .option("--no-workload", "leave Pods Pending: no workload controllers and no simulated node")
    .option("--ready-delay <milliseconds>", "time until a simulated Pod is Ready", numberIn(0, 3_600_000), 0)
    .option(
      "--run-own-image [names]",
      `run Pods of the suite's image as processes of this machine; names: image names, separated by commas (default: "${ownImages.join(",")}")`,
    )
    .configureOutput({
      outputError: (text, write) =>
        write(
          `Error: ${text
            .trim()
            .replace(/^error: /, "")
            .replace(/\.$/, "")}; --help lists what is possible\n`,
        ),
    });
}

function numberIn(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text !== "" && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}, found ${JSON.stringify(text)}.`);
  };
}

function collect(file: string, before: readonly string[]): readonly string[] {
  return [...before, file];
}
