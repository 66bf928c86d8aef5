import type { AnyObject } from "@kyma-operators/kube";
import { labels, labelValues } from "../../../apis/operator/labels.ts";
import { names } from "../../../apis/operator/names.ts";
import { hasSpec, type Watcher, watcherManager } from "../../../apis/operator/watcher.ts";
import { deployment } from "./agent-deployment.ts";
import type { AgentInput } from "./agent-input.ts";
import { networkPolicies } from "./agent-network.ts";

/** The objects of the watcher agent on a remote cluster. Throws `WATCHER_AGENT` for limits that are no quantities. */
export function buildAgent(input: AgentInput): readonly AnyObject[] {
  return [
    deployment(input),
    ...networkPolicies(input.kcp.port),
    {
      ...object("scheduling.k8s.io/v1", "PriorityClass", names.webhookPriority),
      value: 1_000_000_000,
      globalDefault: false,
      description,
    },
    secret(input),
    service(names.webhook, { name: "webhook", port: 443, targetPort: "watcher-port" }),
    service(names.webhookMetrics, { name: "http-metrics", port: 2112, targetPort: "metrics-port" }),
    webhookConfiguration(input),
  ].map((built) => inNamespace(built, input.namespace));
}

/**
 * An object of the agent as an API server gives it back: without what is the default of its kind, and with fractions of
 * a CPU in thousandths. Where it differs all the same, it is only applied once more.
 */
export function asStored(object: AnyObject): AnyObject {
  const dropped = object.kind === "PriorityClass" ? { globalDefault: undefined } : {};
  return JSON.parse(JSON.stringify({ ...object, ...dropped }), (key, value: unknown) =>
    key === "cpu" && typeof value === "string" && /^\d*\.\d+$/.test(value)
      ? `${Math.round(Number(value) * 1000)}m`
      : value,
  ) as AnyObject;
}

const description = "Lets the agent that reports changes to the control plane run before other workloads.";

/** Without a namespace; every object gets that of the agent, cluster-scoped ones included, as the original does. */
function object(apiVersion: string, kind: string, name: string): AnyObject {
  return { apiVersion, kind, metadata: { name } };
}

function inNamespace(built: AnyObject, namespace: string): AnyObject {
  const { metadata } = built;
  const marks = { ...metadata.labels, [labels.managedBy]: labelValues.managedByRemote };
  return { ...built, metadata: { ...metadata, namespace, labels: marks } };
}

function secret({ certificate, caBundle }: AgentInput): AnyObject {
  const data = { "ca.crt": base64(caBundle), "tls.crt": base64(certificate.crt), "tls.key": base64(certificate.key) };
  return { ...object("v1", "Secret", names.webhookTls), data };
}

function service(name: string, port: object): AnyObject {
  return { ...object("v1", "Service", name), spec: { selector: { app: names.webhook }, ports: [port] } };
}

/** One webhook per Watcher that says who receives its events; the others cannot be addressed. */
function webhookConfiguration({ watchers, caBundle, namespace }: AgentInput): AnyObject {
  const kind = "ValidatingWebhookConfiguration";
  const addressed = watchers.filter((watcher) => hasSpec(watcher) && watcherManager(watcher) !== "");
  return {
    ...object("admissionregistration.k8s.io/v1", kind, names.webhook),
    webhooks: addressed.map((watcher) => webhookOf(watcher, caBundle, namespace)),
  };
}

function webhookOf(watcher: Watcher, caBundle: string, namespace: string): object {
  const { metadata, spec } = watcher;
  const { group, version, resource } = spec.resourceToWatch;
  return {
    name: `${metadata.namespace ?? ""}.${metadata.name ?? ""}.operator.kyma-project.io`,
    admissionReviewVersions: ["v1"],
    clientConfig: {
      caBundle: base64(caBundle),
      service: { name: names.webhook, namespace, path: `/validate/${watcherManager(watcher)}` },
    },
    objectSelector: spec.labelsToWatch === undefined ? {} : { matchLabels: spec.labelsToWatch },
    rules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ["CREATE", "UPDATE", "DELETE"],
        resources: [spec.field === "status" ? `${resource}/status` : resource],
      },
    ],
    // A watcher must never stand in the way of the user: nothing it says or fails to say refuses a change.
    failurePolicy: "Ignore",
    sideEffects: "NoneOnDryRun",
    timeoutSeconds: 15,
  };
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
