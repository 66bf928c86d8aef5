import { createWriteStream, realpathSync, type WriteStream } from "node:fs";
import { mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { redact, textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { Command, InvalidArgumentError, Option } from "commander";
import { type ApiServerOptions, type RequestRecord, startApiServer, type WorkloadOptions } from "../apiserver/index.ts";
import manifest from "../package.json" with { type: "json" };

interface Flags {
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
const ownImages: readonly string[] = ["kyma-operators", "runtime-watcher"];

const program = new Command("kyma-apiserver")
  .description("A Kubernetes API server for local work and tests. It is no substitute for a cluster.")
  .version(manifest.version)
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
  .option("--crd <file>", "serve the CustomResourceDefinitions of this file; may be given more than once", collect, [])
  .option("--no-workload", "leave Pods Pending: no workload controllers and no simulated node")
  .option("--ready-delay <milliseconds>", "time until a simulated Pod is Ready", numberIn(0, 3_600_000), 0)
  .option(
    "--run-own-image [names]",
    `run Pods of the suite's image as processes of this machine; names: image names, separated by commas (default: "${ownImages.join(",")}")`,
  )
  .showHelpAfterError("(--help shows all flags)");

await run(program.parse().opts<Flags>()).catch((error: unknown) => {
  process.stderr.write(`Error: ${hintFor(error)}\n`);
  process.exitCode = 1;
});

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

async function run(flags: Flags): Promise<void> {
  const audit = flags.auditLog === undefined ? undefined : openAudit(flags.auditLog);
  const server = await startApiServer(await optionsFrom(flags, audit));
  if (flags.kubeconfig !== undefined) await writePrivate(flags.kubeconfig, await server.kubeconfig());
  process.stdout.write(`${server.url}\n`);
  const stop = (): void => {
    void server.stop().then(() => audit?.end());
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
}

async function optionsFrom(flags: Flags, audit: NodeJS.WritableStream | undefined): Promise<ApiServerOptions> {
  const { host, port, dataDir, authorizationMode } = flags;
  const crds = await Promise.all(flags.crd.map(readDefinitions));
  return {
    host,
    port,
    authorizationMode,
    crds: crds.flat(),
    workload: await workloadFrom(flags),
    fsync: flags.fsync === true,
    onFault: (where, error) => process.stderr.write(`${where}: ${redact(textOf(error))}\n`),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(audit === undefined ? {} : { onRequest: (record: RequestRecord) => void audit.write(auditLine(record)) }),
  };
}

async function workloadFrom({ workload, readyDelay, runOwnImage, dataDir }: Flags): Promise<WorkloadOptions | false> {
  if (!workload) return false;
  if (runOwnImage === undefined) return { readyDelayMs: readyDelay };
  const names = runOwnImage === true ? ownImages : runOwnImage.split(",");
  const podsDir = dataDir === undefined ? await mkdtemp(join(tmpdir(), "kyma-pods-")) : resolve(dataDir, "pods");
  process.stderr.write(`Pods of ${names.join(" and ")} run here; their files are in ${podsDir}\n`);
  // The operator is built beside this program, in a folder of what is the image's working directory.
  const own = realpathSync(process.argv[1] ?? "");
  const script = join(dirname(own), `operator${extname(own)}`);
  return { readyDelayMs: readyDelay, ownImage: { names, script, workingDir: dirname(dirname(own)), dataDir: podsDir } };
}

function openAudit(file: string): WriteStream | NodeJS.WriteStream {
  return file === "-" ? process.stdout : createWriteStream(file, { flags: "a", mode: 0o600 });
}

function auditLine(record: RequestRecord): string {
  return `${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`;
}

async function readDefinitions(file: string): Promise<readonly AnyObject[]> {
  const documents = parseYamlDocuments(await readFile(file, "utf8"), { name: file }) as unknown as (AnyObject | null)[];
  return documents.filter((document) => document !== null);
}

/** Complete under another name first: whoever waits for the file must not read half of it. */
async function writePrivate(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** What the person can do about the usual troubles of a start. */
function hintFor(error: unknown): string {
  const { code, port } = error as { readonly code?: string; readonly port?: number };
  const text = redact(textOf(error));
  if (code === "EADDRINUSE")
    return `port ${port} is in use: stop what listens there, or take another one with --port (0 finds a free one)`;
  if (code === "EACCES" || code === "EROFS" || code === "ENOTDIR") return `${text}: choose a writable folder or file`;
  if (code === "ERR_SQLITE_ERROR")
    return `the data directory can't be used (${text}): another server may hold it, or it is not writable`;
  return text;
}
