import { Secret } from "@kyma-operators/errors";
import type { ClusterAccess } from "./access.ts";
import { kubeErrors } from "./errors.ts";
import { checkAuthorities, checkKeyPair, checkServer, checkServerName, checkToken } from "./kubeconfig-checks.ts";
import {
  decodeBase64,
  type Fields,
  namedEntry,
  onlyFields,
  parseDocument,
  refuse,
  textAt,
} from "./kubeconfig-fields.ts";

/**
 * The access that a kubeconfig from data gives: a Secret, a remote object, an upload.
 *
 * Such a text is hostile until proven otherwise, so it may hold inline certificates and tokens and nothing else: no
 * programs to run, no files to read, no proxy, no impersonation, no password, no switched-off verification. Unknown
 * fields are refused too, since what we don't know may be any of these. Throws `KUBE_KUBECONFIG` with the path of the
 * field at fault; neither error nor result shows a secret.
 *
 * @param context - a context other than the current one.
 */
export function clusterFromKubeconfig(text: string, context?: string): ClusterAccess {
  const config = parseDocument(text);
  checkHeader(config);
  const contextName = context ?? textAt(config, "current-context", "");
  if (contextName === undefined) throw refuse("current-context", "is missing");
  const chosen = namedEntry(config, { list: "contexts", item: "context", name: contextName });
  onlyFields(chosen.value, chosen.path, ["cluster", "user", "namespace", "extensions"]);
  const clusterName = required(chosen.value, "cluster", chosen.path);
  const userName = required(chosen.value, "user", chosen.path);
  const cluster = clusterPart(namedEntry(config, { list: "clusters", item: "cluster", name: clusterName }));
  const user = userPart(namedEntry(config, { list: "users", item: "user", name: userName }));
  const namespace = textAt(chosen.value, "namespace", chosen.path);
  return { ...cluster, ...user, ...(namespace === undefined ? {} : { namespace }) };
}

/**
 * The API server that a kubeconfig from data leads to, as {@link clusterFromKubeconfig} writes it. Neither credentials nor
 * certificates are looked at, so that thousands of kubeconfigs can be told apart quickly. Throws `KUBE_KUBECONFIG`.
 */
export function serverFromKubeconfig(text: string): string {
  const config = parseDocument(text);
  const chosen = namedEntry(config, {
    list: "contexts",
    item: "context",
    name: required(config, "current-context", ""),
  });
  const name = required(chosen.value, "cluster", chosen.path);
  const { value, path } = namedEntry(config, { list: "clusters", item: "cluster", name });
  return checkServer(required(value, "server", path), `${path}.server`);
}

interface Entry {
  readonly path: string;
  readonly value: Fields;
}

function checkHeader(config: Fields): void {
  const allowed = [
    "apiVersion",
    "kind",
    "clusters",
    "users",
    "contexts",
    "current-context",
    "preferences",
    "extensions",
  ];
  onlyFields(config, "", allowed);
  for (const [field, expected] of [
    ["apiVersion", "v1"],
    ["kind", "Config"],
  ] as const) {
    const found = textAt(config, field, "");
    if (found !== undefined && found !== expected) throw refuse(field, `must be ${expected}`);
  }
}

/** Why a field that kubectl knows is refused here. */
const refusedInCluster: Readonly<Record<string, string>> = {
  "certificate-authority": "names a file; give certificate-authority-data",
  "insecure-skip-tls-verify": "switches off TLS verification; give certificate-authority-data",
  "proxy-url": "a kubeconfig from data may not choose a proxy",
};

const refusedInUser: Readonly<Record<string, string>> = {
  "client-certificate": "names a file; give client-certificate-data",
  "client-key": "names a file; give client-key-data",
  tokenFile: "names a file; give token",
  exec: "a kubeconfig from data may not run programs",
  "auth-provider": "a kubeconfig from data may not run login plugins",
  username: "basic authentication is not served by Kubernetes any more; give a token or a client certificate",
  password: "basic authentication is not served by Kubernetes any more; give a token or a client certificate",
  as: "a kubeconfig from data may not impersonate",
  "as-uid": "a kubeconfig from data may not impersonate",
  "as-groups": "a kubeconfig from data may not impersonate",
  "as-user-extra": "a kubeconfig from data may not impersonate",
};

function clusterPart({ path, value }: Entry): Pick<ClusterAccess, "server" | "ca" | "serverName"> {
  // kubectl writes the default out; only switching verification off is refused.
  const { "insecure-skip-tls-verify": insecure, ...rest } = value;
  refuseFields(insecure === false || insecure === undefined ? rest : value, path, refusedInCluster);
  const allowed = ["server", "certificate-authority-data", "tls-server-name", "disable-compression", "extensions"];
  onlyFields(rest, path, allowed);
  const server = checkServer(required(value, "server", path), `${path}.server`);
  const ca = decoded(value, "certificate-authority-data", path);
  if (ca !== undefined) checkAuthorities(ca, `${path}.certificate-authority-data`);
  const serverName = textAt(value, "tls-server-name", path);
  if (serverName !== undefined) checkServerName(serverName, `${path}.tls-server-name`);
  return { server, ...(ca === undefined ? {} : { ca }), ...(serverName === undefined ? {} : { serverName }) };
}

function userPart({ path, value }: Entry): Pick<ClusterAccess, "clientCertificate" | "clientKey" | "token"> {
  refuseFields(value, path, refusedInUser);
  onlyFields(value, path, ["client-certificate-data", "client-key-data", "token", "extensions"]);
  const certificate = decoded(value, "client-certificate-data", path);
  const key = decoded(value, "client-key-data", path);
  const token = textAt(value, "token", path);
  if (token !== undefined) checkToken(token, `${path}.token`);
  if (certificate === undefined && key === undefined) {
    if (token === undefined) throw refuse(path, "has neither a token nor a client certificate");
    return { token: new Secret(token) };
  }
  if (certificate === undefined) throw refuse(`${path}.client-certificate-data`, "is missing beside client-key-data");
  if (key === undefined) throw refuse(`${path}.client-key-data`, "is missing beside client-certificate-data");
  checkKeyPair(certificate, key, path);
  const pair = { clientCertificate: certificate, clientKey: new Secret(key) };
  return token === undefined ? pair : { ...pair, token: new Secret(token) };
}

function required(fields: Fields, name: string, path: string): string {
  const text = textAt(fields, name, path);
  if (text === undefined) throw refuse(`${path}.${name}`, "is missing");
  return text;
}

function decoded(fields: Fields, name: string, path: string): string | undefined {
  const text = textAt(fields, name, path);
  return text === undefined ? undefined : decodeBase64(text, `${path}.${name}`);
}

function refuseFields(fields: Fields, path: string, reasons: Readonly<Record<string, string>>): void {
  for (const [field, problem] of Object.entries(reasons)) {
    if (fields[field] !== undefined) throw kubeErrors.KUBECONFIG({ path: `${path}.${field}`, problem });
  }
}
