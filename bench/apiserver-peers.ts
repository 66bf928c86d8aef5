import { type Peer, startKubernetes, startOurs } from "./api-peers.ts";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";
import { definition, pod } from "./ssa.ts";

/** P13 and P14 over TLS, beside etcd and kube-apiserver where `KUBEBUILDER_ASSETS` names them. */
export const workload: Workload = { name: "API server beside kube-apiserver", run };

interface Sizes {
  readonly objects: number;
  readonly many: number;
  readonly requests: number;
  readonly applies: number;
  readonly watchers: number;
  readonly writes: number;
}

const full: Sizes = { objects: 10_000, many: 50_000, requests: 10_000, applies: 300, watchers: 1_000, writes: 20 };
const smallest: Sizes = { objects: 20, many: 40, requests: 20, applies: 2, watchers: 5, writes: 2 };

async function run({ smoke }: RunOptions): Promise<readonly Measurement[]> {
  const sizes = smoke ? smallest : full;
  const ours = await figuresOf(await startOurs(), sizes);
  const durable = await startOurs("--data-dir", "FOLDER/data");
  const durableCreates = await creates(durable, "durable", sizes.requests);
  await durable.stop();
  const peer = await startKubernetes();
  const theirs = peer === undefined ? undefined : await figuresOf(peer, sizes);
  const row = (key: keyof Figures, what: string, more: Pick<Measurement, "id" | "unit" | "target">): Measurement => ({
    what,
    value: ours[key],
    ...more,
    ...(theirs === undefined ? {} : { peer: { name: "kube-apiserver", value: theirs[key] } }),
  });
  const perSecond = { id: "P14", unit: "requests/s", target: "none" };
  return [
    {
      ...row("startMs", "start of the program to the first answer", { id: "P14", unit: "ms", target: "≤ 500 ms" }),
      met: ours.startMs <= 500,
    },
    row("gets", "get of a ConfigMap, 16 connections", perSecond),
    row("creates", "create of a ConfigMap in memory, 16 connections", perSecond),
    {
      ...row("creates", "create of a ConfigMap, durable without fsync, 16 connections", perSecond),
      value: durableCreates,
    },
    {
      ...row("listMs", `list of ${sizes.objects}`, { id: "P14", unit: "ms", target: "≤ 200 ms" }),
      met: ours.listMs <= 200,
    },
    row("applyPodMs", "server-side apply of a Pod, request to answer", { id: "P13", unit: "ms", target: "none" }),
    row("applyDefinitionMs", "server-side apply of a 500 kB CRD, request to answer", {
      id: "P13",
      unit: "ms",
      target: "none",
    }),
    row("events", `events to ${sizes.watchers} watchers`, { id: "P14", unit: "events/s", target: "none" }),
    row("residentMiB", `resident memory with ${sizes.many} ConfigMaps`, { id: "P14", unit: "MiB", target: "none" }),
  ];
}

interface Figures {
  readonly startMs: number;
  readonly gets: number;
  readonly creates: number;
  readonly listMs: number;
  readonly applyPodMs: number;
  readonly applyDefinitionMs: number;
  readonly events: number;
  readonly residentMiB: number;
}

const maps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { key: "value" } });

/** All figures of one server, which is stopped at the end. */
async function figuresOf(peer: Peer, sizes: Sizes): Promise<Figures> {
  try {
    await readyForPods(peer);
    const created = await creates(peer, "m", sizes.objects);
    const gets = await perSecond(sizes.requests, (index) => peer.request("GET", `${maps}/m${index % sizes.objects}`));
    const listMs = await medianTime(5, () => peer.request("GET", maps));
    const applyPodMs = await applies(peer, "/api/v1/namespaces/default/pods/sample", pod, sizes.applies);
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/samples.example.com";
    const applyDefinitionMs = await applies(peer, crds, definition, Math.ceil(sizes.applies / 10));
    const events = await fanOut(peer, sizes);
    await creates(peer, "more", sizes.many - sizes.objects);
    const residentMiB = await peer.residentMiB();
    return {
      startMs: peer.startMs,
      gets,
      creates: created,
      listMs,
      applyPodMs,
      applyDefinitionMs,
      events,
      residentMiB,
    };
  } finally {
    await peer.stop();
  }
}

/** Pods need a service account, which nobody makes without the controllers of Kubernetes. */
async function readyForPods(peer: Peer): Promise<void> {
  const body = JSON.stringify({ metadata: { name: "sample" } });
  await peer.request("POST", "/api/v1/namespaces/default/serviceaccounts", body);
}

const creates = (peer: Peer, prefix: string, count: number): Promise<number> =>
  perSecond(count, (index) => peer.request("POST", maps, configMap(`${prefix}${index}`)));

async function perSecond(count: number, work: (index: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  return (count * 1000) / (performance.now() - start);
}

async function medianTime(runs: number, work: (run: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work(run);
    times.push(performance.now() - start);
  }
  return median(times);
}

function applies(peer: Peer, path: string, build: (revision: number) => object, count: number): Promise<number> {
  const bodies = Array.from({ length: count }, (_, revision) => JSON.stringify(build(revision)));
  const query = "fieldManager=bench&force=true";
  return medianTime(count, (run) =>
    peer.request("PATCH", `${path}?${query}`, bodies[run], "application/apply-patch+yaml"),
  );
}

/** Events per second that reach all watchers together. */
async function fanOut(peer: Peer, { watchers, writes }: Sizes): Promise<number> {
  const { metadata } = JSON.parse(await peer.request("GET", `${maps}?limit=1`)) as {
    readonly metadata: { readonly resourceVersion: string };
  };
  const path = `${maps}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const watching = Array.from({ length: watchers }, () => peer.countEvents(path, writes + 1));
  // The first event is there when every watch is: it opens the measured time.
  await new Promise((resolve) => setTimeout(resolve, watchers * 3));
  await peer.request("POST", maps, configMap("opening"));
  const start = performance.now();
  for (let index = 0; index < writes; index += 1) await peer.request("POST", maps, configMap(`watched${index}`));
  await Promise.all(watching);
  return (watchers * writes * 1000) / (performance.now() - start);
}
