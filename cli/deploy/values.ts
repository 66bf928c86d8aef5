import { textOf } from "@kyma-operators/errors";
import { mergeUserValues, type ValuesFile } from "helm-ts-lite";
import type { ModuleValues } from "../../modules/module-values.ts";
import type { ClusterFacts } from "./cluster-type.ts";
import { deployErrors } from "./errors.ts";

type JsonObject = Readonly<Record<string, unknown>>;

export interface ValuesInput {
  readonly cluster: ClusterFacts;
  /** Files in order, the module list first; later ones win. */
  readonly files: readonly ValuesFile[];
  /** `module.path.key=value`, in the grammar of helm's `--set`. */
  readonly set: readonly string[];
  readonly domain?: string | undefined;
  readonly tls?: TlsPair | undefined;
}

/** A certificate and its private key, both PEM. */
export interface TlsPair {
  readonly crt: string;
  readonly key: string;
}

/**
 * Merges values: what the kind of cluster needs, the files, single values, domain and certificate; later ones win. Maps
 * are merged, lists replaced. Throws `DEPLOY_VALUE_INVALID` naming the value, and helm's errors for files.
 */
export function mergeValues({ cluster, files, set, domain, tls }: ValuesInput): ModuleValues {
  const start: ValuesFile = { name: `values of ${cluster.type} clusters`, text: JSON.stringify(defaultsFor(cluster)) };
  const merged = set.reduce(setOne, plain(mergeUserValues({ files: [start, ...files] }, unread)));
  const last = JSON.stringify({ global: { ...domainValues(domain), ...tlsValues(tls) } });
  const all = mergeUserValues({ files: [asFile(merged), { name: "domain", text: last }] }, unread);
  return checked(plain(all) as JsonObject);
}

function setOne(values: unknown, text: string): unknown {
  try {
    return plain(mergeUserValues({ files: [asFile(values)], set: [text] }, unread));
  } catch (error) {
    throw deployErrors.VALUE_INVALID({ value: text, reason: textOf(error).replace(/^.*?data: /, "") }, error);
  }
}

function asFile(values: unknown): ValuesFile {
  return { name: "values", text: JSON.stringify(values) };
}

function unread(path: string): string {
  throw new Error(`${path} is not read: values come from --values-file and --value`);
}

/** Maps as objects; what helm's reader makes of numbers becomes JSON's. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, entry]) => [String(key), plain(entry)]));
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === "bigint" ? Number(value) : value;
}

/** Every top-level entry is `global` or the values of one module. Empty ones are left out. */
function checked(values: JsonObject): ModuleValues {
  const entries = Object.entries(values).map(([name, value]) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return [name, value as JsonObject] as const;
    const reason = "expected MODULE.KEY=VALUE or global.KEY=VALUE, found a value without a module";
    throw deployErrors.VALUE_INVALID({ value: name, reason });
  });
  return Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0));
}

/** Where Istio's network plugin finds the folders of the node. */
const cniFolders: Partial<Record<ClusterFacts["type"], JsonObject>> = {
  k3d: {
    cniBinDir: "/var/lib/rancher/k3s/data/current/bin",
    cniConfDir: "/var/lib/rancher/k3s/agent/etc/cni/net.d",
  },
  gke: { cniBinDir: "/home/kubernetes/bin" },
};

function defaultsFor({ type, domain }: ClusterFacts): JsonObject {
  const cni = cniFolders[type];
  return {
    global: domainValues(domain),
    ...(cni === undefined
      ? {}
      : { istio: { helmValues: { cni }, ...(type === "gke" ? { resourceQuotas: { enabled: true } } : {}) } }),
  };
}

function domainValues(domain: string | undefined): JsonObject {
  return domain === undefined ? {} : { domainName: domain };
}

function tlsValues(tls: TlsPair | undefined): JsonObject {
  return tls === undefined ? {} : { tlsCrt: base64(tls.crt), tlsKey: base64(tls.key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
