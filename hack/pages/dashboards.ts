import { dashboard, type Panel, type Query, type Row } from "./dashboard-layout.ts";
import type { Page } from "./page.ts";

const graph = (title: string, unit: string, ...queries: readonly Query[]): Panel => ({
  title,
  type: "timeseries",
  unit,
  queries,
});
const number = (title: string, unit: string, expr: string): Panel => ({
  title,
  type: "stat",
  unit,
  queries: [[expr, ""]],
});
const list = (title: string, expr: string): Panel => ({ title, type: "table", unit: "short", queries: [[expr, ""]] });

const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;
const quantile = (q: number, metric: string, by: string): string =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`;

const fleet: readonly Row[] = [
  {
    title: "Kymas",
    panels: [
      number("Kymas", "short", "sum(max by (kyma_name, state) (lifecycle_mgr_kyma_state))"),
      number("In Error", "short", 'sum(max by (kyma_name) (lifecycle_mgr_kyma_state{state="Error"}))'),
      number("In Warning", "short", 'sum(max by (kyma_name) (lifecycle_mgr_kyma_state{state="Warning"}))'),
      number("Remote clusters left alone", "short", "sum(max by (cluster) (remote_cluster_down))"),
      graph("Kymas by state", "short", [
        "sum by (state) (max by (kyma_name, state) (lifecycle_mgr_kyma_state))",
        "{{state}}",
      ]),
      list(
        "Kymas that need a look",
        'max by (kyma_name, state) (lifecycle_mgr_kyma_state{state=~"Error|Warning"}) == 1',
      ),
    ],
  },
  {
    title: "Why passes end",
    panels: [
      graph("Reasons, as intended", "ops", [
        rate('lifecycle_mgr_requeue_reason_total{requeue_type="intended"}', "requeue_reason"),
        "{{requeue_reason}}",
      ]),
      graph("Reasons, unexpected", "ops", [
        rate('lifecycle_mgr_requeue_reason_total{requeue_type="unexpected"}', "requeue_reason"),
        "{{requeue_reason}}",
      ]),
    ],
  },
  {
    title: "Remote clusters",
    panels: [
      graph("Failures to reach them", "ops", [rate("remote_cluster_errors_total", "class"), "{{class}}"]),
      graph(
        "Events from watchers",
        "ops",
        [rate("watcher_listener_requests_total", "server_name"), "received"],
        [rate("watcher_listener_request_errors_total", "server_name"), "refused"],
        [rate("watcher_listener_failed_verification_requests_total", "server_name"), "without a good certificate"],
      ),
      list(
        "Certificates of watchers that are late",
        "max by (kyma_name) (lifecycle_mgr_self_signed_cert_not_renew) == 1",
      ),
      number("Gateway certificate ends soon", "short", "max(lifecycle_mgr_gateway_secret_server_cert_close_to_expiry)"),
    ],
  },
];

const modules: readonly Row[] = [
  {
    title: "Modules",
    panels: [
      graph("By state", "short", [
        "sum by (state) (max by (kyma_name, module_name, state) (lifecycle_mgr_module_state))",
        "{{state}}",
      ]),
      graph("In Error, by module", "short", [
        'sum by (module_name) (max by (kyma_name, module_name) (lifecycle_mgr_module_state{state="Error"}))',
        "{{module_name}}",
      ]),
      list(
        "Modules that need a look",
        'max by (module_name, kyma_name, state) (lifecycle_mgr_module_state{state=~"Error|Warning"}) == 1',
      ),
      list(
        "Mandatory modules that need a look",
        'max by (module_name, kyma_name, state) (lifecycle_mgr_mandatory_module_state{state=~"Error|Warning"}) == 1',
      ),
      number("Mandatory modules", "short", "max(lifecycle_mgr_mandatory_modules)"),
    ],
  },
  {
    title: "Manifests",
    panels: [
      graph("Renderings, by where they come from", "ops", [rate("kyma_manifest_renders_total", "tier"), "{{tier}}"]),
      graph("Objects, by what is done with them", "ops", [rate("kyma_manifest_objects_total", "action"), "{{action}}"]),
      graph(
        "Time of renderings, median and 99 %",
        "s",
        ["histogram_quantile(0.5, sum by (le) (rate(kyma_manifest_render_seconds_bucket[$__rate_interval])))", "p50"],
        ["histogram_quantile(0.99, sum by (le) (rate(kyma_manifest_render_seconds_bucket[$__rate_interval])))", "p99"],
      ),
      list("Passes of a minute or longer", "max by (manifest_name) (reconcile_duration_seconds)"),
      graph(
        "Duration of passes",
        "s",
        [quantile(0.5, "controller_runtime_reconcile_time_seconds", "controller"), "{{controller}} p50"],
        [quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"), "{{controller}} p99"],
      ),
    ],
  },
];

const runtimes: readonly Row[] = [
  {
    title: "Runtimes",
    panels: [
      graph("By state", "short", [
        "sum by (state) (max by (runtimeId, state) (infrastructure_manager_im_runtime_state))",
        "{{state}}",
      ]),
      graph("Ready, by provider", "short", [
        'sum by (provider) (max by (runtimeId, provider) (infrastructure_manager_im_runtime_state{state="Ready"}))',
        "{{provider}}",
      ]),
      list(
        "Failed",
        'max by (runtimeName, shootName, provider, reason) (infrastructure_manager_im_runtime_state{state="Failed"}) == 1',
      ),
      graph("Unexpected stops", "ops", [
        "sum(rate(infrastructure_manager_unexpected_stops_total[$__rate_interval]))",
        "stops",
      ]),
      graph("Duration of operations, median", "s", [
        quantile(0.5, "infrastructure_manager_im_runtime_operation_duration_seconds", "operation, result"),
        "{{operation}} {{result}}",
      ]),
      graph("Duration of operations, 95 %", "s", [
        quantile(0.95, "infrastructure_manager_im_runtime_operation_duration_seconds", "operation, result"),
        "{{operation}} {{result}}",
      ]),
    ],
  },
  {
    title: "Gardener",
    panels: [
      graph("Requests by answer", "reqps", [
        rate("infrastructure_manager_im_gardener_requests_total", "verb, code"),
        "{{verb}} {{code}}",
      ]),
      graph("Errors of Shoots", "ops", [rate("infrastructure_manager_im_shoot_last_error", "code"), "{{code}}"]),
    ],
  },
  {
    title: "Kubeconfigs",
    panels: [
      graph("GardenerClusters by state", "short", [
        "sum by (state) (max by (runtimeId, state) (infrastructure_manager_im_gardener_clusters_state))",
        "{{state}}",
      ]),
      number(
        "First end of a kubeconfig",
        "s",
        "min(max by (shootName) (infrastructure_manager_im_kubeconfig_expiration)) - time()",
      ),
      list(
        "Without a fresh kubeconfig",
        'max by (shootName, reason) (infrastructure_manager_im_gardener_clusters_state{state="Error"}) == 1',
      ),
    ],
  },
];

const controllers: readonly Row[] = [
  {
    title: "Passes",
    panels: [
      graph("Passes by result", "ops", [
        rate("controller_runtime_reconcile_total", "controller, result"),
        "{{controller}} {{result}}",
      ]),
      graph(
        "Failures",
        "ops",
        [rate("controller_runtime_reconcile_errors_total", "controller"), "{{controller}}"],
        [
          rate("controller_runtime_terminal_reconcile_errors_total", "controller"),
          "{{controller}}, only a change helps",
        ],
      ),
      graph("Duration, 99 %", "s", [
        quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"),
        "{{controller}}",
      ]),
      graph("Workers in use", "percentunit", [
        "sum by (controller) (controller_runtime_active_workers) / sum by (controller) (controller_runtime_max_concurrent_reconciles)",
        "{{controller}}",
      ]),
    ],
  },
  {
    title: "Queues",
    panels: [
      graph("Keys that wait", "short", ["sum by (controller) (workqueue_depth)", "{{controller}}"]),
      graph("Time in the queue, 99 %", "s", [
        quantile(0.99, "workqueue_queue_duration_seconds", "controller"),
        "{{controller}}",
      ]),
      graph(
        "Added and tried again",
        "ops",
        [rate("workqueue_adds_total", "controller"), "{{controller}} added"],
        [rate("workqueue_retries_total", "controller"), "{{controller}} again"],
      ),
      graph("Oldest pass in work", "s", [
        "max by (controller) (workqueue_longest_running_processor_seconds)",
        "{{controller}}",
      ]),
    ],
  },
  {
    title: "API server",
    panels: [
      graph("Requests by answer", "reqps", [rate("rest_client_requests_total", "method, code"), "{{method}} {{code}}"]),
      graph("Time to an answer, 99 %", "s", [
        quantile(0.99, "rest_client_request_duration_seconds", "verb"),
        "{{verb}}",
      ]),
      graph("Writes", "ops", [rate("controller_writes_total", "kind, result"), "{{kind}} {{result}}"]),
      graph("Writes that were not needed", "ops", [
        rate("controller_skips_total", "kind, reason"),
        "{{kind}} {{reason}}",
      ]),
      graph("Failed lists and watches", "ops", [rate("informer_failures_total", "kind, code"), "{{kind}} {{code}}"]),
      graph("Silence of watches", "s", ["max by (kind) (informer_age_seconds)", "{{kind}}"]),
      graph("Objects held", "short", ["max by (kind) (informer_objects)", "{{kind}}"]),
      graph(
        "Leases",
        "short",
        ["sum by (name) (leader_election_master_status)", "{{name}} leaders"],
        ["sum by (name) (leader_election_shards)", "{{name}} shards"],
      ),
    ],
  },
  {
    title: "Process",
    panels: [
      graph("CPU", "short", ["rate(process_cpu_seconds_total[$__rate_interval])", "{{pod}}"]),
      graph(
        "Memory",
        "bytes",
        ["process_resident_memory_bytes", "{{pod}} resident"],
        ["nodejs_heap_size_used_bytes", "{{pod}} heap"],
        ["nodejs_external_memory_bytes", "{{pod}} outside the heap"],
      ),
      graph("Lag of the event loop, 99 %", "s", ["nodejs_eventloop_lag_p99_seconds", "{{pod}}"]),
      graph("Garbage collection", "percentunit", [
        "sum by (pod) (rate(nodejs_gc_duration_seconds_sum[$__rate_interval]))",
        "{{pod}}",
      ]),
    ],
  },
];

/** The dashboards of `config/grafana`. */
export const dashboardPages: readonly Page[] = [
  dashboard("fleet", "Fleet", fleet),
  dashboard("modules", "Modules", modules),
  dashboard("runtimes", "Runtimes", runtimes),
  dashboard("controllers", "Controller internals", controllers),
];
