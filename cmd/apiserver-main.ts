import { createWriteStream, openSync, realpathSync, type WriteStream, writeSync } from "node:fs";
import { mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { redact, textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { type ApiServerOptions, type RequestRecord, startApiServer, type WorkloadOptions } from "../apiserver/index.ts";
import manifest from "../package.json" with { type: "json" };
import { endOnCrash } from "./crash.ts";
import { definitionsIn } from "./definitions.ts";
import { type ApiServerFlags, apiServerCommand, ownImages } from "./flags/apiserver.ts";
import { startHint } from "./start-hint.ts";

endOnCrash((text) => void writeSync(process.stderr.fd, `${text}\n`));

await run(apiServerCommand().version(manifest.version).parse().opts<ApiServerFlags>()).catch((error: unknown) => {
  process.stderr.write(`Error: ${startHint(error)}\n`);
  process.exitCode = 1;
});

async function run(flags: ApiServerFlags): Promise<void> {
  const audit = flags.auditLog === undefined ? undefined : openAudit(flags.auditLog);
  const server = await startApiServer(await optionsFrom(flags, audit));
  const { kubeconfig } = flags;
  if (kubeconfig !== undefined) {
    await writePrivate(kubeconfig, await server.kubeconfig()).catch(async (error: unknown) => {
      await server.stop();
      throw error;
    });
  }
  process.stdout.write(`${server.url}\n`);
  const stop = (): void => {
    void server.stop().then(() => audit?.end());
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
}

async function optionsFrom(flags: ApiServerFlags, audit: NodeJS.WritableStream | undefined): Promise<ApiServerOptions> {
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

async function workloadFrom({
  workload,
  readyDelay,
  runOwnImage,
  dataDir,
}: ApiServerFlags): Promise<WorkloadOptions | false> {
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
  return file === "-" ? process.stdout : createWriteStream(file, { fd: openSync(file, "a", 0o600) });
}

function auditLine(record: RequestRecord): string {
  return `${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`;
}

async function readDefinitions(file: string): Promise<readonly AnyObject[]> {
  return definitionsIn(file, await readFile(file, "utf8"));
}

/** Complete under another name first: whoever waits for the file must not read half of it. */
async function writePrivate(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
