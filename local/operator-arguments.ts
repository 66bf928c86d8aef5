import { join } from "node:path";

interface Places {
  readonly root: string;
  readonly kubeconfig: string;
  readonly gardenerKubeconfig: string;
  readonly dataDir: string;
  /** Base URL. */
  readonly registry: string;
  readonly metricsPort: number;
  readonly probesPort: number;
  readonly dashboardPort: number;
  /** Where the agents of runtimes send their events. */
  readonly eventsPort: number;
}

/** The command line of the operator in a local world: everything on loopback, and a lease that is soon free again. */
export function operatorArguments(places: Places): readonly string[] {
  return [
    `--kubeconfig=${places.kubeconfig}`,
    `--data-dir=${places.dataDir}`,
    `--metrics-bind-address=127.0.0.1:${places.metricsPort}`,
    `--health-probe-bind-address=127.0.0.1:${places.probesPort}`,
    `--dashboard-bind-address=127.0.0.1:${places.dashboardPort}`,
    `--kyma-skr-listener-bind-address=127.0.0.1:${places.eventsPort}`,
    `--watcher-address=127.0.0.1:${places.eventsPort}`,
    "--cert-management=built-in",
    "--leader-election-lease-duration=4s",
    "--leader-election-renew-deadline=3s",
    "--leader-election-retry-period=500ms",
    `--oci-registry-host=${places.registry}`,
    `--gardener-kubeconfig-path=${places.gardenerKubeconfig}`,
    "--gardener-project-name=kyma-dev",
    "--gardener-ratelimiter-qps=50",
    "--gardener-ratelimiter-burst=50",
    `--converter-config-filepath=${join(places.root, "local/demo/landscape/converter_config.json")}`,
    "--module-upgrade-rollout-max-delay=0",
    "--max-concurrent-kyma-reconciles=4",
    "--max-concurrent-manifest-reconciles=8",
  ];
}
