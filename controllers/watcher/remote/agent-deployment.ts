import type { AnyObject } from "@kyma-operators/kube";
import { labels } from "../../../apis/operator/labels.ts";
import { names } from "../../../apis/operator/names.ts";
import { watcherErrors } from "../errors.ts";
import type { AgentInput } from "./agent-input.ts";

const certificateFolder = "/app/etc/ssl";
/** The pattern that every Kubernetes quantity follows; the text after it is part of the recorded message. */
const quantity = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

/** The workload of the agent. Throws `WATCHER_AGENT`. */
export function deployment(input: AgentInput): AnyObject {
  const app = { app: names.webhook };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: names.webhook, labels: app },
    spec: {
      replicas: 1,
      selector: { matchLabels: app },
      template: {
        metadata: {
          labels: {
            ...app,
            "sidecar.istio.io/inject": "false",
            // A new certificate restarts the agent: it reads its files once.
            [labels.podRestartTrigger]: input.certificateRevision,
          },
        },
        spec: podSpec(input),
      },
    },
  };
}

function podSpec(input: AgentInput): object {
  const items = ["tls.key", "tls.crt", "ca.crt"].map((key) => ({ key, path: key }));
  return {
    priorityClassName: names.webhookPriority,
    ...(input.pullSecret === undefined ? {} : { imagePullSecrets: [{ name: input.pullSecret }] }),
    securityContext: {
      runAsUser: 10_001,
      runAsGroup: 30_001,
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    },
    volumes: [{ name: "ssl", secret: { secretName: names.webhookTls, items } }],
    containers: [container(input)],
  };
}

function container({ image, args, cpuLimit, memoryLimit, ...input }: AgentInput): object {
  return {
    name: "server",
    image,
    ...(args === undefined ? {} : { args }),
    imagePullPolicy: "Always",
    env: environment(input),
    ports: [
      { name: "watcher-port", containerPort: 8443 },
      { name: "metrics-port", containerPort: 2112 },
    ],
    resources: {
      requests: { cpu: "10m", memory: "20Mi" },
      limits: { cpu: checked("CPU", cpuLimit), memory: checked("memory", memoryLimit) },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [{ name: "ssl", mountPath: certificateFolder }],
  };
}

function environment({ kcp, godebug }: Pick<AgentInput, "kcp" | "godebug">): readonly object[] {
  const values: readonly (readonly [string, string])[] = [
    ["WEBHOOK_PORT", "8443"],
    ["METRICS_PORT", "2112"],
    ["TLS_KEY", `${certificateFolder}/tls.key`],
    ["TLS_CERT", `${certificateFolder}/tls.crt`],
    ["CA_CERT", `${certificateFolder}/ca.crt`],
    ["TLS_CALLBACK", "true"],
    ["KCP_CONTRACT", "v2"],
    ["KCP_ADDR", `${kcp.host}:${kcp.port}`],
    ...(godebug === "" ? [] : [["GODEBUG", godebug] as const]),
  ];
  const podName = { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } };
  return [podName, ...values.map(([name, value]) => ({ name, value }))];
}

function checked(what: string, text: string): string {
  if (quantity.test(text)) return text;
  const problem = `error parsing ${what} resource limit: quantities must match the regular expression '${quantity.source}'`;
  throw watcherErrors.AGENT({ problem });
}
