import { join } from "node:path";
import { type Admission, admissionChain, extensionAdmission } from "./admission/admission.ts";
import { policyAdmission } from "./admission/policies.ts";
import { WebhookClient } from "./admission/webhook-client.ts";
import { webhookAdmission } from "./admission/webhooks.ts";
import { apiError } from "./api-error.ts";
import type { Identities } from "./auth/authentication.ts";
import { type Authority, authorityOf, createAuthority, isLasting } from "./auth/certificates.ts";
import { formatKubeconfig } from "./auth/kubeconfig.ts";
import { type Authorizer, alwaysAllow, rbacAuthorizer } from "./auth/rbac.ts";
import { StaticTokens, TokenSigner } from "./auth/tokens.ts";
import { bootstrap } from "./bootstrap.ts";
import { Objects } from "./controllers/objects.ts";
import { startControllers } from "./controllers/start.ts";
import { discover } from "./discovery/discovery.ts";
import { OpenApi } from "./discovery/openapi.ts";
import { dispatcher } from "./http/dispatcher.ts";
import { answerFixedPath } from "./http/fixed-paths.ts";
import { type Listener, listen } from "./http/listener.ts";
import type { ApiRequest, ApiResponse, Handler } from "./http/messages.ts";
import type { RequestInfo, ResourceTarget } from "./http/request-info.ts";
import { inProcessTransport } from "./http/transport.ts";
import { type KeptKeys, keepKeys } from "./keys-files.ts";
import type { ApiServer, ApiServerOptions, Extension, UserInfo } from "./options.ts";
import { builtinGroups, builtinResources } from "./resources/builtin.ts";
import { Registry } from "./resources/registry.ts";
import type { Core } from "./rest/call.ts";
import { WaitingEvents } from "./rest/event-stream.ts";
import { type ResourceRouter, routeResource } from "./rest/router.ts";
import { openJournal } from "./storage/sqlite-files.ts";
import { Store } from "./storage/store.ts";
import { systemClock } from "./system-clock.ts";
import { runOwnImagePods } from "./workload/own-image/controller.ts";
import { podFolder } from "./workload/own-image/is-of-own-image.ts";
import { readPart } from "./workload/own-image/mounts-files.ts";
import { ownServices } from "./workload/own-image/resolve-service.ts";
import { ensureNode } from "./workload/start.ts";

const admin: UserInfo = { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

/** Starts one API server. Several may run in one process; each has its own store, keys and clock. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  options.signal?.throwIfAborted();
  const { authority, signer } = await keysOf(options);
  const store = new Store(
    options.dataDir === undefined ? undefined : openJournal(options.dataDir, { fsync: options.fsync ?? false }),
  );
  const services = ownServices(store);
  const webhooks = new WebhookClient((service) => options.resolveService?.(service) ?? services(service));
  const core = coreOf(options, store, webhooks);
  const staticTokens = new StaticTokens();
  const identities: Identities = { store, signer, staticTokens, now: () => core.clock.now() };
  const authorize = options.authorizationMode === "RBAC" ? rbacAuthorizer(store) : alwaysAllow;
  const handler = handlerOf(options, { core, identities, signer, authorize });
  const stopControllers = startControllers(core, { options, signer, caCertificate: authority.certificate });
  const objects = new Objects(core, "apiserver");
  await bootstrap(objects, options.crds ?? []);
  if (options.workload !== false && options.workload?.node !== false) await ensureNode(objects);
  const running = { options, authority, staticTokens, handler };
  const listener = await openListener(running);
  const stopPods = startOwnImage(core, { running, listener, signer });
  return runningServer(running, listener, async () => {
    stopControllers();
    await stopPods();
    webhooks.close();
    store.close();
  });
}

function startOwnImage(
  core: Core,
  {
    running: { options, authority },
    listener,
    signer,
  }: { readonly running: Running; readonly listener: Listener | undefined; readonly signer: TokenSigner },
): () => Promise<void> {
  const ownImage = options.workload === false ? undefined : options.workload?.ownImage;
  if (ownImage === undefined) return () => Promise.resolve();
  if (listener === undefined)
    throw new Error("workload.ownImage: its Pods need a server that listens; leave out listen: false");
  return runOwnImagePods(new Objects(core, "kubelet"), {
    options: ownImage,
    signer,
    url: urlOf(options, listener),
    caCertificate: authority.certificate,
  });
}

async function keysOf({
  dataDir,
}: ApiServerOptions): Promise<{ readonly authority: Authority; readonly signer: TokenSigner }> {
  const create = async (former?: KeptKeys): Promise<KeptKeys> => {
    const { certificate, key } = await createAuthority();
    return { certificate, key, tokenKey: former?.tokenKey ?? new TokenSigner().pem };
  };
  const { tokenKey, ...pair } =
    dataDir === undefined ? await create() : await keepKeys(dataDir, { create, isUsable: isLasting });
  return { authority: authorityOf(pair), signer: new TokenSigner(tokenKey) };
}

function coreOf(options: ApiServerOptions, store: Store, webhooks: WebhookClient): Core {
  const extensions = new Map<string, Extension>(
    (options.extensions ?? []).map((extension) => [`${extension.group}/${extension.resource}`, extension]),
  );
  const registry = new Registry(builtinResources(), builtinGroups());
  const chain: Admission[] = [
    extensionAdmission(extensions),
    policyAdmission(store, registry),
    webhookAdmission(store, webhooks),
  ];
  return {
    store,
    registry,
    clock: options.clock ?? systemClock,
    admission: admissionChain(chain),
    extensions,
    podLog: podLogOf(options),
    waitingEvents: new WaitingEvents(),
    onFault: options.onFault ?? (() => undefined),
  };
}

const logLimitBytes = 16 * 1024 * 1024;

function podLogOf({ workload }: ApiServerOptions): Core["podLog"] {
  const ownImage = workload === false ? undefined : workload?.ownImage;
  if (ownImage === undefined)
    return (_pod, _container, from) => Promise.resolve({ bytes: new Uint8Array(0), end: from });
  return (pod, container, from) => readPart(join(podFolder(ownImage, pod), `${container}.log`), from, logLimitBytes);
}

interface Routing extends ResourceRouter {
  readonly core: Core;
  readonly identities: Identities;
  readonly signer: TokenSigner;
  readonly authorize: Authorizer;
}

function handlerOf({ onRequest, onFault }: ApiServerOptions, routing: Routing): Handler {
  const openApi = new OpenApi(routing.core.registry);
  const route = async (request: ApiRequest, info: RequestInfo, user: UserInfo): Promise<ApiResponse> => {
    if (info.target !== undefined && isRoute(routing.core.registry, info.target)) {
      return routeResource(routing, request, { info, user });
    }
    const answer =
      answerFixedPath(request, routing.signer) ?? openApi.answer(request) ?? discover(request, routing.core.registry);
    if (answer !== undefined) return answer;
    // Below a group that is served, what is missing is a resource; anywhere else it is a page.
    const [, root, group = ""] = request.path.split("/");
    const { registry } = routing.core;
    if (root === "apis" && isKnownGroup(registry, group) && !registry.isCustom(group)) throw apiError.noRoute();
    return pageNotFound;
  };
  return dispatcher({ identities: routing.identities, authorize: routing.authorize, onRequest, onFault, route });
}

const pageNotFound: ApiResponse = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "404 page not found\n",
};

/** Groups of definitions route by resource, built-in ones by group. */
function isRoute(registry: Registry, { group, version, resource, namespace }: ResourceTarget): boolean {
  if (!registry.isCustom(group)) return isKnownGroup(registry, group);
  const served = registry.find(group, version, resource);
  return served !== undefined && (served.namespaced || namespace === "");
}

function isKnownGroup(registry: Registry, group: string): boolean {
  return group === "" || registry.groups().some(({ name }) => name === group);
}

interface Running {
  readonly options: ApiServerOptions;
  readonly authority: Authority;
  readonly staticTokens: StaticTokens;
  readonly handler: Handler;
}

async function openListener({ options, authority, handler }: Running): Promise<Listener | undefined> {
  if (options.listen === false) return undefined;
  const { host = "127.0.0.1", port = 0 } = options;
  const server = await authority.issueServer(host);
  return listen({ host, port, server, clientAuthority: authority.certificate, handler });
}

const urlOf = ({ host }: ApiServerOptions, { port }: Listener): string => `https://${urlHost(host)}:${port}`;

function runningServer(running: Running, listener: Listener | undefined, release: () => Promise<void>): ApiServer {
  const { options, authority, staticTokens, handler } = running;
  const stopping = new AbortController();
  const url = listener === undefined ? "https://in-process.invalid" : urlOf(options, listener);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      stopping.abort(new Error("the API server is stopped"));
      await listener?.close();
      await release();
    })();
    return stopped;
  };
  options.signal?.addEventListener("abort", () => void stop(), { once: true });
  const userOf = (user: { readonly user?: string; readonly groups?: readonly string[] } = {}): UserInfo =>
    user.user === undefined ? admin : { name: user.user, groups: user.groups ?? [] };
  return {
    url,
    caCertificate: authority.certificate,
    transport: inProcessTransport(handler, admin, stopping.signal),
    transportFor: (user) => inProcessTransport(handler, userOf(user), stopping.signal),
    kubeconfig: async (user) => {
      const { name, groups } = userOf(user);
      const certified = groups.filter((group) => group !== "system:authenticated");
      const clientCertificate = await authority.issueClient(name, certified, user?.expiresAt);
      return formatKubeconfig(url, authority.certificate, { user: name, credentials: { clientCertificate } });
    },
    tokenKubeconfig: (user) => {
      const token = staticTokens.issue(userOf(user));
      return formatKubeconfig(url, authority.certificate, { user: userOf(user).name, credentials: { token } });
    },
    stop,
  };
}

const urlHost = (host = "127.0.0.1"): string => (host.includes(":") ? `[${host}]` : host);
