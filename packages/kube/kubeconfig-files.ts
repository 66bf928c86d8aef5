import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import type { Cluster, KubeConfig } from "@kubernetes/client-node";
import type { Clock } from "@kyma-operators/clock";
import { isAppError, redact, Secret } from "@kyma-operators/errors";
import type { ClusterAccess } from "./access.ts";
import { kubeErrors } from "./errors.ts";
import { renewedToken } from "./renewed-token.ts";

export interface PersonalKubeconfig {
  /** Absent: the files of `KUBECONFIG`, then `~/.kube/config`, then the pod's service account. */
  readonly path?: string;
  readonly context?: string;
  readonly clock: Clock;
}

/**
 * The access that a person's own kubeconfig gives, with what kubectl allows there: files, exec plugins, OIDC. Impersonation,
 * passwords and proxies are refused. Of several files in `KUBECONFIG`, missing ones are passed over, and the first one
 * wins that sets a name or the current context.
 *
 * The person who starts the program owns that file, so it is trusted; a kubeconfig that comes from data goes through
 * `clusterFromKubeconfig`. Throws `KUBE_KUBECONFIG`.
 */
export async function loadKubeconfig(options: PersonalKubeconfig): Promise<ClusterAccess> {
  // Loaded here, because the package is large and only people's kubeconfigs need it.
  const { KubeConfig } = await import("./client-node.ts");
  const config = new KubeConfig();
  const named = options.path ?? process.env["KUBECONFIG"] ?? "";
  const path = named === "" ? "~/.kube/config" : named;
  try {
    if (named === "") config.loadFromDefault();
    else if (options.path !== undefined) config.loadFromFile(options.path);
    else config.loadFromOptions(merge(filesOf(named).map((file) => readOne(new KubeConfig(), file))));
    return await accessOf(config, { ...options, named: path });
  } catch (error) {
    if (isAppError(error)) throw error;
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw kubeErrors.KUBECONFIG({ path, problem: isMissing ? "no such file" : firstLine(error as Error) });
  }
}

/** Parsers add excerpts of the file, and login programs say much. */
const firstLine = ({ message }: Error): string => redact(message.trimStart().split("\n", 1).join(""));

/** The files of a list that are there; all of them where none is, so that reading them says so. */
function filesOf(list: string): readonly string[] {
  const files = list.split(delimiter).filter((file) => file !== "");
  const present = files.filter((file) => existsSync(file));
  return present.length === 0 ? files : present;
}

function readOne(config: KubeConfig, file: string): KubeConfig {
  try {
    config.loadFromFile(file);
  } catch (error) {
    // The list as a whole is named by the caller.
    throw Object.assign(error as Error, { message: `${file}: ${(error as Error).message}` });
  }
  return config;
}

/** As kubectl merges; the package itself lets the last current context win and refuses a name that comes twice. */
function merge(configs: readonly KubeConfig[]): Parameters<KubeConfig["loadFromOptions"]>[0] {
  return {
    clusters: firstByName(configs.flatMap((config) => config.getClusters())),
    users: firstByName(configs.flatMap((config) => config.getUsers())),
    contexts: firstByName(configs.flatMap((config) => config.getContexts())),
    currentContext: configs.map((config) => config.getCurrentContext()).find(Boolean) ?? "",
  };
}

function firstByName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  const names = entries.map(({ name }) => name);
  return entries.filter(({ name }, index) => names.indexOf(name) === index);
}

/** What client-node answers where there is no kubeconfig at all. */
function isPlaceholder(server: string | undefined): boolean {
  return server === "http://localhost:8080";
}

function contextText(config: KubeConfig): string {
  const name: string | undefined = config.getCurrentContext();
  return name ? `context ${name} names no cluster` : "it has no current context";
}

function contextList(config: KubeConfig): string {
  const names = config.getContexts().map(({ name }) => name);
  return names.length === 0 ? "" : `, there are ${names.join(", ")}`;
}

interface HttpsOptions {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
  auth?: string;
  headers?: Record<string, string>;
}

/** How to read it, and what to call it. */
type Opened = PersonalKubeconfig & { readonly named: string };

async function accessOf(config: KubeConfig, options: Opened): Promise<ClusterAccess> {
  if (options.context !== undefined) config.setCurrentContext(options.context);
  const cluster = clusterOf(config, options);
  const login = (): Promise<HttpsOptions> => httpsOptions(config, options.named);
  const https = await login();
  const token = bearerOf(https);
  refuseOtherIdentities(https);
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace;
  return {
    server: cluster.server,
    ...tlsOf(https),
    ...(cluster.skipTLSVerify ? { insecureSkipTlsVerify: true } : {}),
    ...(token && { token: renewedToken(token, async () => bearerOf(await login()), options.clock) }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function clusterOf(config: KubeConfig, { path }: PersonalKubeconfig): Cluster {
  const cluster = config.getCurrentCluster();
  if (path === undefined && isPlaceholder(cluster?.server)) {
    throw new Error("none was found: set KUBECONFIG, or name a file with --kubeconfig");
  }
  if (cluster === null) throw new Error(`${contextText(config)}: choose one with --context${contextList(config)}`);
  if (cluster.proxyUrl !== undefined) throw new Error("proxy-url is not supported");
  return cluster;
}

/** Left out in silence, these would let a person act as somebody else than the file says. */
function refuseOtherIdentities({ auth, headers }: HttpsOptions): void {
  const remedy = "use the certificate, token or login program of that user";
  if (headers?.["Impersonate-User"] !== undefined) throw new Error(`impersonation (as) is not supported: ${remedy}`);
  if (auth !== undefined) throw new Error(`user and password are not supported: ${remedy}`);
}

function tlsOf(https: HttpsOptions): Pick<ClusterAccess, "ca" | "serverName" | "clientCertificate" | "clientKey"> {
  return {
    ...(https.ca === undefined ? {} : { ca: https.ca.toString() }),
    ...(https.servername === undefined ? {} : { serverName: https.servername }),
    ...(https.cert === undefined ? {} : { clientCertificate: https.cert.toString() }),
    ...(https.key === undefined ? {} : { clientKey: new Secret(https.key.toString()) }),
  };
}

/** Reads the files and asks the login program of the current user. */
async function httpsOptions(config: KubeConfig, path: string): Promise<HttpsOptions> {
  const { exec } = (config.getCurrentUser() ?? {}) as { readonly exec?: { readonly command?: string } };
  const program = exec && `the login program ${exec.command ?? ""}`;
  const options: HttpsOptions = {};
  try {
    giveIssuerAsUrl(config);
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw kubeErrors.KUBECONFIG({ path, problem: loginProblem(error as NodeJS.ErrnoException, program) });
  }
  const isNobody = bearerOf(options) === undefined && options.cert === undefined;
  if (program !== undefined && isNobody) throw kubeErrors.KUBECONFIG({ path, problem: `${program} ${noCredential}` });
  return options;
}

/** client-node hands the issuer's text to openid-client, which takes a `URL` only and would refuse every renewal. */
function giveIssuerAsUrl(config: KubeConfig): void {
  const provider = config.getCurrentUser()?.authProvider as
    | { readonly name?: string; readonly config?: Record<string, unknown> | null }
    | undefined;
  const issuer = provider?.config?.["idp-issuer-url"];
  if (provider?.name !== "oidc" || typeof issuer !== "string") return;
  if (!URL.canParse(issuer)) throw new Error(`idp-issuer-url ${issuer} is no URL`);
  Object.assign(provider.config ?? {}, { "idp-issuer-url": new URL(issuer) });
}

/** What a program prints instead of a credential may be the credential itself, so it is not repeated. */
const noCredential = "printed no ExecCredential with a token or a certificate";

/** @param program - undefined where the package itself logs in, as with OIDC. */
function loginProblem(error: NodeJS.ErrnoException, program: string | undefined): string {
  if (program === undefined) return `the login failed: ${firstLine(error) || error.name}`;
  const isSpawn = error.syscall?.startsWith("spawn") === true;
  if (isSpawn) return `${program} can't be started (${error.code}): is it installed?`;
  if (error.name === "SyntaxError" || error.name === "TypeError") return `${program} ${noCredential}`;
  return firstLine(error) || `${program} failed without a word`;
}

function bearerOf({ headers }: HttpsOptions): Secret | undefined {
  const value = headers?.["Authorization"];
  return value?.startsWith("Bearer ") ? new Secret(value.slice("Bearer ".length)) : undefined;
}
