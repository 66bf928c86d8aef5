import { deepEqual, match } from "node:assert/strict";
import { test } from "@jest/globals";
import { builtIn, createClient, transportFrom } from "@kyma-operators/kube";
import { FakeClock, ScriptedTransport, startCluster } from "../../testing/index.ts";
import { createClusterPool } from "./cluster-pool.ts";
import { createManager } from "./manager.ts";
import { observeRequests } from "./rest-metrics.ts";
import { patchStatus } from "./status.ts";

const { pods } = builtIn;
const lease = { name: "metrics", namespace: "default" };

/** Those of controller-runtime and client-go by their names there, then ours. */
const expected = [
  "controller_runtime_active_workers",
  "controller_runtime_max_concurrent_reconciles",
  "controller_runtime_reconcile_errors_total",
  "controller_runtime_reconcile_time_seconds",
  "controller_runtime_reconcile_total",
  "controller_runtime_terminal_reconcile_errors_total",
  "leader_election_master_status",
  "rest_client_request_duration_seconds",
  "rest_client_requests_total",
  "workqueue_adds_total",
  "workqueue_depth",
  "workqueue_longest_running_processor_seconds",
  "workqueue_queue_duration_seconds",
  "workqueue_retries_total",
  "workqueue_unfinished_work_seconds",
  "workqueue_work_duration_seconds",
  "controller_skips_total",
  "controller_writes_total",
  "informer_age_seconds",
  "informer_failures_total",
  "informer_objects",
  "leader_election_shards",
  "remote_cluster_down",
  "remote_cluster_errors_total",
];

const pod = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "c", image: "i" }] },
});

test("a scrape shows each metric, with what has happened", async () => {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock, workload: false });
  const [stored] = await cluster.apply(pod("a"));
  let cut = true;
  const manager = createManager({
    client: createClient({
      transport: transportFrom(async (request) => {
        if (cut) throw new Error("cut off");
        return cluster.server.transport(request);
      }),
      clock,
      userAgent: "metrics",
      onRequest: (report) => observed(report),
    }),
    clock,
    identity: "one",
    leases: [lease],
  });
  const observed = observeRequests(manager.metrics);
  const context = manager.context(lease.name);
  const pool = createClusterPool({ clock, metrics: manager.metrics, connect: () => new ScriptedTransport(refuse) });
  let passes = 0;
  context.addController({
    name: "sample",
    watches: [{ informer: context.informer(pods) }],
    reconcile: async () => {
      passes += 1;
      if (passes === 1) throw new Error("once");
      for (const phase of ["Running", "Running"]) {
        const observed = await cluster.client.get<{ status?: object } & typeof stored & object>(podRef);
        await patchStatus(context.client, pods, { observed, status: { ...observed.status, phase } });
      }
      return { kind: "done" };
    },
  });
  const ending = new AbortController();
  let over = false;
  const running = manager.run(ending.signal).finally(() => (over = true));
  await clock.advance(5000);
  cut = false;
  await clock.until(() => passes > 1);
  await clock.settle();
  await pool
    .get("remote", { kubeconfig })
    .client.get(podRef)
    .catch(() => undefined);

  const { text } = await manager.metrics.scrape();
  const shown = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? "");
  deepEqual(
    expected.filter((name) => !shown.includes(name)),
    [],
  );
  deepEqual(
    shown.filter((name) => !expected.includes(name)),
    [],
  );
  const lines = [
    'controller_runtime_reconcile_total{controller="sample",result="error"} 1',
    'controller_runtime_reconcile_errors_total{controller="sample"} 1',
    'controller_runtime_reconcile_time_seconds_count{controller="sample"} 3',
    'workqueue_retries_total{name="sample",controller="sample"} 1',
    'workqueue_depth{name="sample",controller="sample"} 0',
    'leader_election_master_status{name="metrics"} 1',
    'controller_writes_total{group="metrics",kind="Pod",result="written"} 1',
    'controller_skips_total{group="metrics",kind="Pod",reason="unchanged"} 3',
    'informer_age_seconds{kind="Pod"} 0',
    'informer_objects{kind="Pod"} 1',
    'remote_cluster_errors_total{class="server"} 1',
    'rest_client_requests_total{code="200",host="in-process",method="PATCH"} 1',
    'rest_client_requests_total{code="503",host="remote",method="GET"} 1',
  ];
  deepEqual(
    lines.filter((line) => !text.split("\n").includes(line)),
    [],
  );
  match(text, /^informer_failures_total\{kind="Pod",code="\S*"\} [1-9]/m);

  ending.abort(new Error("over"));
  await clock.until(() => over);
  await running;
  await cluster.stop();
});

const refuse = () => ({ status: 503 });
const podRef = { resource: pods, namespace: "default", name: "a" };
const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "c",
  contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
  clusters: [{ name: "k", cluster: { server: "https://api.example.com" } }],
  users: [{ name: "u", user: { token: "t" } }],
});
