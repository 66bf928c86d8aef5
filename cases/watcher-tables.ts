import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { parseDurationMs } from "../apis/duration.ts";
import type { Kyma } from "../apis/operator/kyma.ts";
import type { Watcher } from "../apis/operator/watcher.ts";
import {
  type AgentInput,
  buildAgent,
  buildCertificate,
  buildVirtualService,
  type CertManagement,
  type Gateway,
  gatewayAddress,
} from "../controllers/watcher/index.ts";

/** Answers one row of `watcher.json`. */
export const watcherTables: Readonly<Record<string, (input: never) => unknown>> = {
  "virtual-service": (row: { watcher: Watcher | null; gateways: readonly GatewayRow[] }) =>
    orError(() => withoutIdentity(buildVirtualService(row.watcher, row.gateways.map(gatewayOf)))),
  "kcp-address": addressRow,
  certificate: (row: CertificateRow) => orError(() => [certificateOf(row)]),
  "skr-webhook": agentRow,
};

interface GatewayRow {
  readonly name: string;
  readonly namespace: string;
  readonly servers: readonly { readonly hosts: readonly string[]; readonly port?: number }[];
}

function gatewayOf({ name, namespace, servers }: GatewayRow): Gateway {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "Gateway",
    metadata: { name, namespace },
    spec: {
      servers: servers.map(({ hosts, port }) => ({ hosts, ...(port === undefined ? {} : { port: { number: port } }) })),
    },
  };
}

/** The rows leave kind and version of a VirtualService out. */
function withoutIdentity({ metadata, spec }: ReturnType<typeof buildVirtualService>): unknown {
  return { metadata, spec };
}

/** A missing gateway is an answer of the API server, which a function about gateways never sees. */
function addressRow({ gateway, portOverwrite }: { gateway: GatewayRow | null; portOverwrite: string }): unknown {
  if (gateway === null) return { error: "failed to get istio gateway klm-watcher: gateway not there" };
  return orError(() => gatewayAddress(gatewayOf(gateway), portOverwrite));
}

interface CertificateRow {
  readonly additionalDnsNames: string;
  readonly duration: string;
  readonly renewBefore: string;
  readonly issuerName: string;
  readonly issuerNamespace: string;
  readonly management: CertManagement;
  readonly kyma: Kyma;
}

function certificateOf(row: CertificateRow): AnyObject {
  return buildCertificate(row.kyma, {
    management: row.management,
    istioNamespace: "istio-system",
    syncNamespace: "kyma-system",
    durationMs: parseDurationMs(row.duration) ?? Number.NaN,
    renewBeforeMs: parseDurationMs(row.renewBefore) ?? Number.NaN,
    keySize: 4096,
    additionalDnsNames: row.additionalDnsNames.split(","),
    issuer: { name: row.issuerName, namespace: row.issuerNamespace },
  });
}

interface AgentRow {
  readonly certificateSecret: {
    readonly missing?: boolean;
    readonly data?: Record<string, string>;
    readonly resourceVersion?: string;
  };
  readonly gatewaySecret: Readonly<Record<string, string>>;
  readonly cpuLimit: string;
  readonly memoryLimit: string;
  readonly godebug: string;
  readonly image: string;
  readonly kcpHost: string;
  readonly kcpPort: number;
  readonly pullSecret: string;
  readonly watchers: readonly Watcher[];
}

function agentRow(row: AgentRow): unknown {
  const { certificateSecret, gatewaySecret, pullSecret } = row;
  if (certificateSecret.missing) return { error: "SKR certificate not ready" };
  const input: AgentInput = {
    namespace: "kyma-system",
    image: row.image,
    ...(pullSecret === "" ? {} : { pullSecret }),
    cpuLimit: row.cpuLimit,
    memoryLimit: row.memoryLimit,
    godebug: row.godebug,
    kcp: { host: row.kcpHost, port: row.kcpPort },
    certificate: { crt: certificateSecret.data?.["tls.crt"] ?? "", key: certificateSecret.data?.["tls.key"] ?? "" },
    certificateRevision: certificateSecret.resourceVersion ?? "",
    caBundle: gatewaySecret["ca.crt"] ?? "",
    watchers: row.watchers,
  };
  return orError(() => buildAgent(input).map(withPlainCpu));
}

/** The rows write a CPU limit in thousandths; quantities compare by value. */
function withPlainCpu(object: AnyObject): AnyObject {
  return JSON.parse(JSON.stringify(object), (key, value: unknown) =>
    key === "cpu" && typeof value === "string" && !value.endsWith("m") ? `${Number(value) * 1000}m` : value,
  ) as AnyObject;
}

function orError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return { error: textOf(error) };
  }
}
