import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type AnyObject, type Client, timeText } from "@kyma-operators/kube";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { Command } from "commander";
import { writeTar } from "oras-js";
import { names } from "../../apis/operator/names.ts";
import { WorldFolder } from "../../local/state-files.ts";
import { askWorld } from "../../local/world-status.ts";
import { type ClusterFlags, withCluster, withClusterFlags } from "../cluster.ts";
import type { Io } from "../io.ts";
import { dataDirOf } from "../local/data-dir.ts";
import { version } from "../product.ts";
import { download } from "../system-download.ts";
import { Collector, type Listing, limits, type Text } from "./collector.ts";
import { lastLines } from "./log-files.ts";
import { redactLog, redactObject, redactText } from "./redaction.ts";
import { blockersOf, conditionTable, eventTable, summaryText } from "./summary.ts";

interface BundleFlags extends ClusterFlags {
  readonly output?: string;
  readonly namespace: readonly string[];
  readonly dataDir?: string;
}

const topFolder = "kyma-support";
const worldLogs = ["operator.log", "requests.jsonl", "writes.jsonl"];

/** `kyma support-bundle [-o FILE] [-n NAMESPACE…] [--data-dir FOLDER]` */
export function command(io: Io): Command {
  return withClusterFlags(new Command())
    .description(
      "Collect what helps to find a fault into one archive: versions, objects, conditions, events, logs and metrics. Secrets are never read; what looks like one is masked.",
    )
    .option("-o, --output <file>", "archive to write; default kyma-support-<time>.tgz")
    .option("-n, --namespace <namespace...>", "namespaces to look at", [
      names.controlPlaneNamespace,
      names.remoteNamespace,
    ])
    .option("--data-dir <folder>", "folder of kyma local: take its control plane and its logs")
    .action(async (flags: BundleFlags) => {
      const access = { ...kubeconfigOf(io, flags), ...(flags.context === undefined ? {} : { context: flags.context }) };
      await withCluster(io, access, (client) => bundle(io, client, flags));
    });
}

function kubeconfigOf(io: Io, { kubeconfig, dataDir }: BundleFlags): ClusterFlags {
  if (kubeconfig !== undefined) return { kubeconfig };
  return dataDir === undefined ? {} : { kubeconfig: join(dataDirOf(io, dataDir), "control-plane.kubeconfig") };
}

/** Collects, writes the archive, and says what is in the way. A cluster that does not answer ends it. */
export async function bundle(io: Io, client: Client, flags: Omit<BundleFlags, keyof ClusterFlags>): Promise<void> {
  const takenAt = timeText(io.clock.now());
  const { gitVersion } = await client.serverInfo({ signal: io.signal });
  const collector = new Collector(client, flags.namespace, io.signal);
  const listings = (await collector.listings()).map(redacted);
  const events = (await collector.events()).map((event) => redactObject(event) as AnyObject);
  const pods = listings.find(({ resource }) => resource.kind === "Pod")?.items ?? [];
  const texts = [...(await collector.ofPods(pods)), ...(await ofLocalWorld(io, collector, flags.dataDir))];
  const { namespace: namespaces } = flags;
  const facts = { programVersion: version, clusterVersion: gitVersion, namespaces, takenAt, notes: collector.notes };
  const files = [
    { path: "summary.txt", text: redactLog(summaryText(facts, listings, events)) },
    { path: "versions.json", text: versionsText(facts, listings) },
    { path: "conditions.txt", text: conditionTable(listings) },
    { path: "events.txt", text: eventTable(events) },
    ...listings.flatMap(objectFile),
    ...texts,
  ];
  const output = flags.output ?? `kyma-support-${takenAt.replace(/[-:]|\.\d+/g, "")}.tgz`;
  const bytes = archive(files);
  await io.files.write(output, bytes, { mode: 0o600 });
  const first = blockersOf(listings, events)[0];
  io.stdout.write(`${output}: ${files.length} files, ${Math.ceil(bytes.length / 1024)} KiB\n`);
  io.stdout.write(`${first === undefined ? "all is Ready" : redactText(`first in the way: ${first}`)}\n`);
  for (const note of collector.notes) io.stderr.write(`not in it: ${redactText(note)}\n`);
}

function redacted({ resource, items }: Listing): Listing {
  return { resource, items: items.map((item) => redactObject(item) as AnyObject) };
}

function objectFile({ resource, items }: Listing): readonly Text[] {
  const { plural, group } = resource;
  const name = group === "" ? plural : `${plural}.${group}`;
  return items.length === 0 ? [] : [{ path: `objects/${name}.yaml`, text: formatYamlDocuments([...items]) }];
}

/** Of the program, the cluster and every image that runs. */
function versionsText(
  { programVersion, clusterVersion }: { readonly programVersion: string; readonly clusterVersion: string },
  listings: readonly Listing[],
): string {
  const deployments = listings.find(({ resource }) => resource.kind === "Deployment")?.items ?? [];
  const images = Object.fromEntries(
    deployments.map((item) => [`${item.metadata.namespace ?? ""}/${item.metadata.name ?? ""}`, imagesOf(item)]),
  );
  return `${JSON.stringify({ kyma: programVersion, cluster: clusterVersion, images }, undefined, 2)}\n`;
}

function imagesOf(deployment: AnyObject): readonly string[] {
  const { template } = (deployment["spec"] ?? {}) as {
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  };
  return (template?.spec?.containers ?? []).map(({ image = "" }) => image);
}

/** Ends of the logs that `kyma local` keeps, and the metrics of its operator while it runs; redacted. */
async function ofLocalWorld(io: Io, collector: Collector, dataDir: string | undefined): Promise<readonly Text[]> {
  if (dataDir === undefined) return [];
  const folder = new WorldFolder(dataDirOf(io, dataDir));
  const texts: Text[] = [];
  for (const name of worldLogs) {
    const text = await lastLines(folder.file(name), limits.textBytes);
    if (text !== undefined) texts.push({ path: `local/${name}`, text: redactLog(text) });
  }
  const status = await collector.attempt("local/metrics.txt", askWorld(folder));
  if (status === undefined) return texts;
  const metrics = await collector.attempt("local/metrics.txt", download(status.addresses.metrics, io.signal));
  if (metrics === undefined) return texts;
  return [...texts, { path: "local/metrics.txt", text: redactLog(Buffer.from(metrics).toString("utf8")) }];
}

/** The same files always give the same bytes. */
function archive(files: readonly Text[]): Uint8Array {
  const encoder = new TextEncoder();
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const entries = sorted.map(({ path, text }) => ({ path: `${topFolder}/${path}`, content: encoder.encode(text) }));
  return gzipSync(writeTar(entries));
}
