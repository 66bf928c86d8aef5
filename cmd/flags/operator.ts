import { flagTable } from "./flags.ts";

/** Flags of the process: which loops run, where, and how the lease is held. */
export const processFlags = flagTable({
  mode: { type: "string", default: "operator", help: "operator, or skr-watcher for the agent on a remote cluster" },
  config: { type: "string", default: "", help: "YAML file with flag names as keys; a flag on the command line wins" },
  controllers: {
    type: "list",
    default: "kyma,mandatory-module,manifest,watcher,purge,runtime,gardener-cluster",
    help: "reconcile loops that run in this process",
  },
  kubeconfig: {
    type: "string",
    default: "",
    help: "kubeconfig of the control plane; empty means KUBECONFIG, then in-cluster",
  },
  namespace: {
    type: "string",
    default: "kcp-system",
    help: "namespace of the control-plane objects and of the leases",
  },
  "metrics-bind-address": { type: "string", default: ":8080", help: "address of /metrics; 0 switches it off" },
  "health-probe-bind-address": {
    type: "string",
    default: ":8081",
    help: "address of /healthz and /readyz; 0 switches it off",
  },
  "dashboard-bind-address": {
    type: "string",
    default: "0",
    help: "address of the web page, for example 127.0.0.1:8085; 0 switches it off",
  },
  "dashboard-token-file": {
    type: "string",
    default: "",
    help: "file with the token that the web page asks for; needed when other machines can reach its address",
  },
  "leader-elect": { type: "bool", default: "true", help: "act only while holding the lease" },
  "leader-election-lease-duration": {
    type: "duration",
    default: "180s",
    help: "how long a silent leader keeps the lease",
  },
  "leader-election-renew-deadline": {
    type: "duration",
    default: "120s",
    help: "how long the leader tries to renew before it stops",
  },
  "leader-election-part": {
    type: "string",
    default: "",
    help: "name of this process among several that share the controllers of one lease; empty: it runs them all",
  },
  "leader-election-retry-period": { type: "duration", default: "3s", help: "pause between two tries for the lease" },
  "cache-sync-timeout": { type: "duration", default: "60m", help: "how long the first lists may take" },
  "log-level": { type: "int", default: "0", help: "0 logs information, 1 and 2 add debug lines" },
  "k8s-client-qps": { type: "float", default: "1000", help: "requests per second to the control plane" },
  "k8s-client-burst": { type: "int", default: "2000", help: "requests at once to the control plane" },
});

/** Flags of the lifecycle and the module manager, with the names and defaults of the original. */
export const lifecycleFlags = flagTable({
  "cert-management": {
    type: "string",
    default: "cert-manager.io/v1",
    help: "who issues certificates: cert-manager.io/v1, cert.gardener.cloud/v1alpha1, or built-in for this process itself",
  },
  "kyma-skr-listener-bind-address": { type: "string", default: ":8082", help: "address that receives watcher events" },
  "pprof-bind-address": { type: "string", default: ":8084", help: "address that serves CPU and heap profiles" },
  pprof: { type: "bool", default: "false", help: "serve CPU and heap profiles" },
  "pprof-server-timeout": { type: "duration", default: "90s", help: "longest profile request" },
  "max-concurrent-kyma-reconciles": { type: "int", default: "1", help: "Kymas in work at once" },
  "max-concurrent-manifest-reconciles": {
    type: "int",
    default: "32",
    help: "Manifests in work at once; the original's single one would wait for every cluster that is slow to answer",
  },
  "max-concurrent-watcher-reconciles": { type: "int", default: "1", help: "Watchers in work at once" },
  "max-concurrent-mandatory-modules-reconciles": {
    type: "int",
    default: "1",
    help: "Kymas whose mandatory modules are in work at once",
  },
  "max-concurrent-mandatory-modules-deletion-reconciles": {
    type: "int",
    default: "1",
    help: "mandatory modules in removal at once",
  },
  "kyma-requeue-success-interval": { type: "duration", default: "5m", help: "safety-net interval of a Ready Kyma" },
  "kyma-requeue-error-interval": { type: "duration", default: "2s", help: "interval of a Kyma in Error" },
  "kyma-requeue-warning-interval": { type: "duration", default: "30s", help: "interval of a Kyma in Warning" },
  "kyma-requeue-busy-interval": { type: "duration", default: "5s", help: "interval of a Kyma in Processing" },
  "manifest-requeue-success-interval": {
    type: "duration",
    default: "5m",
    help: "interval of a Ready Manifest",
    noEffect: "events wake Manifests; manifest-drift-check-interval is the safety net",
  },
  "manifest-requeue-error-interval": {
    type: "duration",
    default: "2s",
    help: "interval of a Manifest in Error",
    noEffect: "failures back off from failure-base-delay to failure-max-delay",
  },
  "manifest-requeue-warning-interval": { type: "duration", default: "30s", help: "interval of a Manifest in Warning" },
  "manifest-requeue-busy-interval": {
    type: "duration",
    default: "5s",
    help: "longest interval of a Manifest in Processing or Deleting",
  },
  "manifest-requeue-jitter-probability": {
    type: "float",
    default: "0.02",
    help: "how often an interval is spread, 0 to 0.05",
    noEffect: "every interval of ten seconds or more is spread by up to a tenth",
  },
  "manifest-requeue-jitter-percentage": {
    type: "float",
    default: "0.02",
    help: "how far an interval is spread, 0 to 1",
    noEffect: "every interval of ten seconds or more is spread by up to a tenth",
  },
  "manifest-drift-check-interval": {
    type: "duration",
    default: "1h",
    help: "how often a Ready Manifest is compared with its cluster when no event asks for it; at least 1m",
  },
  "manifest-ready-timeout": {
    type: "duration",
    default: "10m",
    help: "how long a module may take to become ready before its Manifest turns to Warning",
  },
  "mandatory-module-requeue-success-interval": {
    type: "duration",
    default: "30s",
    help: "safety-net interval of mandatory modules",
  },
  "mandatory-module-deletion-requeue-success-interval": {
    type: "duration",
    default: "30s",
    help: "interval of mandatory modules in removal",
  },
  "watcher-requeue-success-interval": { type: "duration", default: "1m", help: "safety-net interval of a Watcher" },
  "module-upgrade-rollout-max-delay": {
    type: "duration",
    default: "5m",
    help: "spread of the Kymas over time after a release change; 0 switches it off",
  },
  "k8s-skr-client-qps": { type: "float", default: "50", help: "requests per second to one remote cluster" },
  "k8s-skr-client-burst": { type: "int", default: "100", help: "requests at once to one remote cluster" },
  "enable-webhooks": { type: "bool", default: "false", help: "serve the validating webhook of Runtime" },
  "webhook-bind-address": { type: "string", default: ":9443", help: "where the webhook listens" },
  "webhook-cert-dir": {
    type: "string",
    default: "/tmp/k8s-webhook-server/serving-certs",
    help: "folder of the webhook's tls.crt and tls.key; read again when they change",
  },
  "additional-dns-names": { type: "list", default: "", help: "more names in the watcher certificates" },
  "istio-namespace": { type: "string", default: "istio-system", help: "namespace of the ingress gateway" },
  "istio-gateway-name": { type: "string", default: "klm-watcher", help: "gateway of the watcher's VirtualServices" },
  "istio-gateway-namespace": { type: "string", default: "kcp-system", help: "namespace of that gateway" },
  "listener-port-overwrite": { type: "string", default: "", help: "port of the listener as the agents see it" },
  "rate-limiter-burst": { type: "int", default: "2000", help: "passes at once over all keys" },
  "rate-limiter-frequency": { type: "int", default: "1000", help: "passes per second over all keys" },
  "failure-base-delay": { type: "duration", default: "5s", help: "first back-off of a failing key" },
  "failure-max-delay": { type: "duration", default: "30s", help: "longest back-off of a failing key" },
  "sync-namespace": { type: "string", default: "kyma-system", help: "namespace of our objects on the remote cluster" },
  "self-signed-cert-duration": { type: "duration", default: "60d", help: "life of the watcher certificates" },
  "self-signed-cert-renew-before": {
    type: "duration",
    default: "30d",
    help: "how long before their end they are renewed",
  },
  "self-signed-cert-renew-buffer": {
    type: "duration",
    default: "24h",
    help: "tolerance before a late renewal is an error",
  },
  "self-signed-cert-key-size": { type: "int", default: "4096", help: "key size of the watcher certificates" },
  "self-signed-cert-issuer-name": {
    type: "string",
    default: "klm-watcher-selfsigned",
    help: "issuer of the watcher certificates",
  },
  "self-signed-cert-issuer-namespace": { type: "string", default: "istio-system", help: "namespace of that issuer" },
  "istio-gateway-cert-switch-before-expiration-time": {
    type: "duration",
    default: "0",
    help: "deprecated",
    noEffect: "the original ignores it too",
  },
  "istio-gateway-server-cert-switch-grace-period": {
    type: "duration",
    default: "4d",
    help: "overlap of two CAs before the gateway switches",
  },
  "istio-gateway-server-cert-expiry-window": {
    type: "duration",
    default: "14d",
    help: "how long before its end the gateway certificate is switched",
  },
  "istio-gateway-secret-requeue-success-interval": {
    type: "duration",
    default: "5m",
    help: "safety-net interval of the gateway Secret",
  },
  "istio-gateway-secret-requeue-error-interval": {
    type: "duration",
    default: "2s",
    help: "interval of the gateway Secret after an error",
  },
  "drop-crd-stored-version-map": {
    type: "string",
    default: "Manifest:v1beta1,Watcher:v1beta1,ModuleTemplate:v1beta1,Kyma:v1beta1",
    help: "stored versions to remove from CRDs at start",
  },
  "skr-watcher-image-name": { type: "string", default: "runtime-watcher", help: "image of the watcher agent" },
  "skr-watcher-image-registry": {
    type: "string",
    default: "",
    help: "registry of that image; empty means the image of this suite",
  },
  "skr-watcher-image-tag": {
    type: "string",
    default: "",
    help: "tag of that image; empty means the version of this suite",
  },
  "skr-webhook-memory-limits": { type: "string", default: "200Mi", help: "memory limit of the watcher agent" },
  "skr-webhook-cpu-limits": { type: "string", default: "0.1", help: "CPU limit of the watcher agent" },
  "metrics-cleanup-interval": {
    type: "int",
    default: "15",
    help: "minutes between two clean-ups of metrics of gone Kymas",
  },
  "min-maintenance-window-size": {
    type: "duration",
    default: "20m",
    help: "least rest of a maintenance window that is used",
  },
  "oci-registry-host": { type: "string", default: "", help: "registry of the module components" },
  "oci-registry-cred-secret": {
    type: "string",
    default: "",
    help: "Secret of type dockerconfigjson with that registry's credentials",
  },
  "modules-repository-subpath": { type: "string", default: "", help: "path below the registry" },
  "enable-verification": {
    type: "bool",
    default: "false",
    help: "install only modules whose component is signed as kyma-module-signature",
  },
  "module-verification-key-file": {
    type: "string",
    default: "",
    help: "public key for all modules; empty means Secrets with the labels of signature and module",
  },
  "verification-policy": {
    type: "string",
    default: "",
    help: "YAML file that says per repository what must be signed or fixed by digest; replaces the two flags above",
  },
  "skr-image-pull-secret": {
    type: "string",
    default: "",
    help: "Secret that is copied to remote clusters for image pulls",
  },
  "watcher-address": {
    type: "string",
    default: "",
    help: "host:port of the listener as agents see it, where no Istio gateway leads to it; it then asks for client certificates itself",
  },
  "remote-resync-interval": {
    type: "duration",
    default: "24h",
    help: "how long what is known of a remote cluster is trusted while its watcher reports changes",
  },
  "restricted-default-modules": { type: "list", default: "", help: "modules that only named Kymas may use" },
  "data-dir": {
    type: "string",
    default: "",
    help: "folder of the layer and render caches; empty means a temporary one of this process",
  },
  shards: { type: "int", default: "1", help: "leases over which the Kymas are split" },
});

/** Flags of the infrastructure manager, with the names and defaults of the original. */
export const infrastructureFlags = flagTable({
  "gardener-kubeconfig-path": {
    type: "string",
    default: "/gardener/kubeconfig/kubeconfig",
    help: "kubeconfig of the Gardener project",
  },
  "gardener-project-name": {
    type: "string",
    default: "gardener-project",
    help: "Gardener project; must equal the converter configuration",
  },
  "minimal-rotation-time": {
    type: "float",
    default: "0.6",
    help: "part of a kubeconfig's life after which it is rotated",
  },
  "kubeconfig-expiration-time": { type: "duration", default: "24h", help: "life of a runtime's kubeconfig" },
  "gardener-ctrl-reconcilation-timeout": {
    type: "duration",
    default: "60s",
    help: "longest pass over a GardenerCluster",
  },
  "gardener-request-timeout": { type: "duration", default: "3s", help: "longest request to Gardener" },
  "gardener-ratelimiter-qps": { type: "float", default: "5", help: "requests per second to Gardener" },
  "gardener-ratelimiter-burst": { type: "int", default: "5", help: "requests at once to Gardener" },
  "runtime-ctrl-workers-cnt": { type: "int", default: "25", help: "Runtimes in work at once" },
  "gardener-cluster-ctrl-workers-cnt": { type: "int", default: "25", help: "GardenerClusters in work at once" },
  "converter-config-filepath": {
    type: "string",
    default: "/converter-config/converter_config.json",
    help: "converter configuration of the landscape",
  },
  "audit-log-mandatory": { type: "bool", default: "true", help: "refuse Runtimes without an audit-log tenant" },
  "structured-auth-enabled": {
    type: "bool",
    default: "false",
    help: "use structured authentication below Kubernetes 1.32 too",
  },
  "custom-config-controller-enabled": {
    type: "bool",
    default: "false",
    help: "watch registry-cache configuration on runtimes",
  },
  "force-deletion-enabled": { type: "bool", default: "false", help: "allow forced deletion of Shoots" },
  "controlled-by-provisioner-check-enabled": {
    type: "bool",
    default: "false",
    help: "leave Runtimes that the Provisioner still controls alone",
  },
  "resync-interval": { type: "duration", default: "30m", help: "safety-net interval of an unfinished Runtime" },
  "provisioning-timeout": {
    type: "duration",
    default: "60m",
    help: "longest creation of a Shoot before its Runtime fails; a late success still counts",
  },
  "update-timeout": {
    type: "duration",
    default: "120m",
    help: "longest update of a Shoot before its Runtime fails; a late success still counts",
  },
  "deletion-warning-after": {
    type: "duration",
    default: "120m",
    help: "age of a deletion from which on an event warns; it never gives up",
  },
});

/** All flags of `kyma-operator`. */
export const operatorFlags = { ...processFlags, ...lifecycleFlags, ...infrastructureFlags };
