import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { hostname } from "node:os";
import { isAppError, redact, Secret, textOf } from "@kyma-operators/errors";
import {
  type Client,
  type ClusterAccess,
  createClient,
  createHttpTransport,
  inClusterAccess,
  loadKubeconfig,
  systemClock,
} from "@kyma-operators/kube";
import {
  createLogger,
  createManager,
  createMetrics,
  debugPages,
  healthPages,
  type LevelLogger,
  limitRate,
  type Manager,
  metricsPages,
  observeRequests,
  serveOperations,
} from "@kyma-operators/runtime";
import manifest from "../package.json" with { type: "json" };
import { endOnCrash } from "./crash.ts";
import { readConfigFile } from "./flags/config-file.ts";
import { type FlagValues, flagHelp, ineffective, parseFlags, splitArguments } from "./flags/flags.ts";
import { operatorFlags } from "./flags/operator.ts";
import { validateFlags } from "./flags/validate.ts";
import { ineffectiveVariables } from "./flags/variables.ts";
import { awaitApiServer } from "./wiring/api-server.ts";
import { leaseGroups, wireControllers } from "./wiring/operator.ts";

const userAgent = `kyma-operator/${manifest.version}`;
type Flags = FlagValues<typeof operatorFlags>;

interface Closeable {
  close(): Promise<void>;
}

endOnCrash((text) => void writeSync(process.stderr.fd, `${text}\n`));

const args = process.argv.slice(2);
if (args.some((arg) => /^--?(h|help)$/.test(arg))) {
  process.stdout.write(`Usage: kyma-operator [flags]\n\nFlags:\n${flagHelp(operatorFlags)}`);
} else if (args.some((arg) => /^--?version$/.test(arg))) {
  process.stdout.write(`kyma-operator version ${manifest.version}\n`);
} else {
  await start().catch((error: unknown) => {
    const code = isAppError(error) ? ` (${error.code})` : "";
    process.stderr.write(`Error: ${redact(textOf(error))}${code}\n`);
    process.exitCode = 1;
  });
}

async function start(): Promise<void> {
  const given = splitArguments(args, operatorFlags);
  const config = given.get("config");
  const raw = config === undefined ? given : new Map([...(await readConfigFile(config, operatorFlags)), ...given]);
  const flags = parseFlags(operatorFlags, raw);
  validateFlags(flags);
  if (flags.mode === "skr-watcher") return (await import("./agent-main.ts")).runAgent(process.env);
  const log = createLogger(flags["log-level"] > 0 ? "debug" : "info");
  for (const { name, reason } of ineffective(operatorFlags, raw))
    log.warn({ flag: name, reason }, "flag has no effect");
  for (const { name, reason } of ineffectiveVariables(process.env))
    log.warn({ variable: name, reason }, "environment variable has no effect");
  await run(flags, log);
}

async function run(flags: Flags, log: LevelLogger): Promise<void> {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => stop.abort(new Error(`received ${name}`)));

  const metrics = createMetrics({ process: true });
  const access = await accessOf(flags);
  const client = createClient({
    transport: limitRate(createHttpTransport(access), {
      clock: systemClock,
      perSecond: flags["k8s-client-qps"],
      burst: flags["k8s-client-burst"],
    }),
    clock: systemClock,
    userAgent,
    fieldManager: "kyma-operator",
    onRequest: observeRequests(metrics),
  });
  const manager = createManager({
    client,
    clock: systemClock,
    identity: `${hostname()}_${randomUUID()}`,
    leases: leaseGroups(flags),
    log,
    metrics,
  });
  // What is left open by a start that fails would keep the process alive.
  const opened: Closeable[] = [client];
  let awaited: string | undefined = "the API server has not answered yet";
  const unready = (): readonly string[] => (awaited === undefined ? manager.unready() : [awaited]);
  try {
    for (const [bind, pages] of pagesOf(flags, { manager, log, unready }))
      opened.push(await serveOperations(bind, pages));
    await awaitApiServer(client, { clock: systemClock, log }, stop.signal);
    awaited = "the controllers are being set up";
    opened.push(await wireControllers({ manager, flags, log, client, clientWith: clientsOf(access), userAgent }));
    awaited = undefined;
    log.info({ version: manifest.version, controllers: flags.controllers }, "started");
    await manager.run(stop.signal);
  } catch (error) {
    if (error !== stop.signal.reason) throw error;
  } finally {
    for (const part of opened.reverse()) await part.close();
    log.info({}, "stopped");
  }
}

/** Clients of the same cluster with nothing but a token of somebody else. */
function clientsOf(access: ClusterAccess): (token: () => Promise<string>) => Client {
  const { token: _own, clientCertificate: _certificate, clientKey: _key, ...place } = access;
  return (token) => {
    const transport = createHttpTransport({ ...place, token: async () => new Secret(await token()) });
    return createClient({ transport, clock: systemClock, userAgent });
  };
}

async function accessOf(flags: Flags): Promise<ClusterAccess> {
  if (flags.kubeconfig !== "") return loadKubeconfig({ path: flags.kubeconfig, clock: systemClock });
  if (process.env["KUBECONFIG"]) return loadKubeconfig({ clock: systemClock });
  return inClusterAccess({ clock: systemClock });
}

interface Shown {
  readonly manager: Manager;
  readonly log: LevelLogger;
  readonly unready: () => readonly string[];
}

/** What is served for operators, by address; 0 serves it nowhere. */
function pagesOf(flags: Flags, { manager, log, unready }: Shown) {
  const pages = [
    [flags["metrics-bind-address"], metricsPages(manager.metrics)],
    [flags["health-probe-bind-address"], healthPages({ unready })],
    [flags.pprof ? flags["pprof-bind-address"] : "0", debugPages({ log, clock: systemClock })],
  ] as const;
  return pages.filter(([bind]) => bind !== "0");
}
