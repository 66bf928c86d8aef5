import { hasCode } from "@kyma-operators/errors";
import { type AnyObject, builtIn, type Client, optional } from "@kyma-operators/kube";
import { intentHash, type Store } from "@kyma-operators/runtime";
import { annotations } from "../../../apis/operator/annotations.ts";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import type { Kyma } from "../../../apis/operator/kyma.ts";
import { names } from "../../../apis/operator/names.ts";
import type { Watcher } from "../../../apis/operator/watcher.ts";
import { forEachBounded } from "../../../modules/bounded.ts";
import { parseRfc3339 } from "../../../modules/maintenance/calendar.ts";
import { contains } from "../../../modules/write-decision.ts";
import type { AgentCertificate, CertificateStore } from "../certificates/store.ts";
import { type Secret, tlsOf } from "../certificates/tls-secret.ts";
import { watcherErrors } from "../errors.ts";
import type { OverdueCertificates } from "../metrics.ts";
import type { WatcherSettings } from "../options.ts";
import type { KcpAddress } from "../routes/gateway-address.ts";
import type { AgentInput } from "./agent-input.ts";
import { asStored, buildAgent } from "./agent-objects.ts";

const { deployments, pods } = builtIn;

const writesAtOnce = 5;
/** An agent that was scaled down or deleted can't say so: silence is taken for peace no longer than this. */
const trustMs = 2 * 3_600_000;
const backoffReasons: ReadonlySet<unknown> = new Set(["CrashLoopBackOff", "ImagePullBackOff"]);

/** What was last found of an agent; the same digest and readiness mean that nothing is to be sent for a while. */
export interface AgentView {
  readonly digest: string;
  readonly ready: boolean;
  /** When its Deployment was last looked at, milliseconds since the epoch. */
  readonly seenAtMs: number;
  /** When its Pods last changed, as its Deployment says, milliseconds since the epoch; 0 where it says nothing. */
  readonly changedAtMs: number;
}

interface Dependencies {
  readonly settings: WatcherSettings;
  readonly certificates: CertificateStore;
  /** Secrets of the Istio namespace. */
  readonly secrets: Store<Secret>;
  readonly watchers: Store<Watcher>;
  readonly address: () => KcpAddress;
  readonly overdue: OverdueCertificates;
}

/** Keeps the watcher agent on remote clusters. */
export class WebhookSync {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Brings the agent of one cluster up to date. Throws where that fails; waiting for a certificate is no failure. */
  async sync(
    kyma: Kyma,
    { client }: { readonly client: Client },
    known: AgentView | undefined,
    pass: { readonly now: number; readonly signal: AbortSignal },
  ): Promise<AgentView> {
    const { caBundle, caAddedAtMs } = this.#gateway();
    const certificate = await this.#deps.certificates.ensure(kyma, caAddedAtMs, pass);
    this.#showOverdue(kyma, certificate, { caAddedAtMs, now: pass.now });
    if (certificate === undefined || caBundle === undefined)
      return { digest: "", ready: false, seenAtMs: 0, changedAtMs: 0 };
    const input = this.#inputOf(certificate, caBundle);
    const digest = digestOf(input);
    if (known?.digest !== digest) await applyChanged(client, buildAgent(input), pass.signal);
    else if (known.ready && pass.now - known.seenAtMs < trustMs) return known;
    return { digest, ...(await this.#look(client, pass.signal)), seenAtMs: pass.now };
  }

  #showOverdue(kyma: Kyma, certificate: AgentCertificate | undefined, at: { caAddedAtMs: number; now: number }): void {
    const isDue = at.caAddedAtMs + this.#deps.settings.renewBufferMs < at.now;
    this.#deps.overdue.show(kyma.metadata.name ?? "", certificate, isDue ? at.caAddedAtMs : 0);
  }

  async hasCertificate(kymaName: string, signal: AbortSignal): Promise<boolean> {
    return this.#deps.certificates.exists(kymaName, signal);
  }

  async deleteCertificate(kymaName: string, signal: AbortSignal): Promise<void> {
    this.#deps.overdue.remove(kymaName);
    await this.#deps.certificates.remove(kymaName, signal);
  }

  /** Removes the agent and everything around it; answers whether there was anything. */
  async remove({ client }: { readonly client: Client }, signal: AbortSignal): Promise<boolean> {
    const placeholder = { crt: "", key: "", revision: "" };
    const objects = buildAgent(this.#inputOf(placeholder, ""));
    let found = false;
    const [failure] = await forEachBounded(objects, writesAtOnce, async (object) => {
      if (await removeOne(client, object, signal)) found = true;
    });
    if (failure !== undefined) throw failure.error;
    return found;
  }

  #gateway(): { readonly caBundle: string | undefined; readonly caAddedAtMs: number } {
    const { settings, secrets } = this.#deps;
    const secret = secrets.get({ namespace: settings.certificates.istioNamespace, name: names.gatewaySecret });
    const addedAt = secret?.metadata.annotations?.[annotations.caAddedToBundleAt] ?? "";
    return { caBundle: tlsOf(secret)?.ca, caAddedAtMs: parseRfc3339(addedAt)?.ms ?? 0 };
  }

  #inputOf({ crt, key, revision }: Pick<AgentCertificate, "crt" | "key" | "revision">, caBundle: string): AgentInput {
    const { settings, watchers, address } = this.#deps;
    return {
      ...settings.agent,
      namespace: settings.certificates.syncNamespace,
      kcp: address(),
      certificate: { crt, key },
      certificateRevision: revision,
      caBundle,
      watchers: watchers.list().toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1)),
    };
  }

  /** A replica that serves is enough; one that will not start is an error that names its reason. */
  async #look(client: Client, signal: AbortSignal): Promise<Pick<AgentView, "ready" | "changedAtMs">> {
    const namespace = this.#deps.settings.certificates.syncNamespace;
    const ref = { resource: deployments, namespace, name: names.webhook };
    const deployment = await optional(client.get(ref, { signal }));
    const { readyReplicas = 0, conditions = [] } = (deployment?.["status"] ?? {}) as DeploymentStatus;
    const changedAtMs = Math.max(
      0,
      ...conditions.map(({ lastUpdateTime = "" }) => parseRfc3339(lastUpdateTime)?.ms ?? 0),
    );
    if (readyReplicas > 0) return { ready: true, changedAtMs };
    const { items } = await client.list(pods, { namespace, labelSelector: `app=${names.webhook}`, signal });
    for (const pod of items) {
      const reason = backoffReasonOf(pod);
      if (reason !== undefined) throw watcherErrors.AGENT_BACKOFF({ pod: pod.metadata.name ?? "", reason });
    }
    return { ready: false, changedAtMs };
  }
}

interface DeploymentStatus {
  readonly readyReplicas?: number;
  readonly conditions?: readonly { readonly lastUpdateTime?: string }[];
}

interface ContainerStatus {
  readonly state?: { readonly waiting?: { readonly reason?: string } };
}

function backoffReasonOf(pod: AnyObject): string | undefined {
  const { containerStatuses = [] } = (pod["status"] ?? {}) as { containerStatuses?: readonly ContainerStatus[] };
  return containerStatuses.map(({ state }) => state?.waiting?.reason).find((reason) => backoffReasons.has(reason));
}

/** Everything about an agent that can change while this process runs; cheaper than its objects, which no pass needs. */
function digestOf({ certificateRevision, caBundle, watchers }: AgentInput): string {
  const watched = watchers.map(({ metadata: { name, namespace, labels: own }, spec }) => [name, namespace, own, spec]);
  return intentHash([certificateRevision, caBundle, watched]);
}

/** Reads before it writes: after a restart of this process nothing is known, and mostly nothing has changed. */
async function applyChanged(client: Client, objects: readonly AnyObject[], signal: AbortSignal): Promise<void> {
  const options = { fieldManager: fieldManagers.lifecycleManager, force: true, signal };
  const [failure] = await forEachBounded(objects, writesAtOnce, async (built) => {
    const resource = await client.resourceFor(built.apiVersion, built.kind, { signal });
    const object = resource.namespaced ? built : withoutNamespace(built);
    const { name = "", namespace } = object.metadata;
    const ref = { resource, name, ...(namespace === undefined ? {} : { namespace }) };
    const present = await optional(client.get(ref, { signal }));
    if (present !== undefined && contains(present, asStored(object))) return;
    await client.apply(resource, object, options);
  });
  if (failure !== undefined) throw failure.error;
}

async function removeOne(
  client: Client,
  { apiVersion, kind, metadata }: AnyObject,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const resource = await client.resourceFor(apiVersion, kind, { signal });
    const { name = "", namespace = "" } = metadata;
    await client.delete({ resource, name, ...(resource.namespaced ? { namespace } : {}) }, { signal });
    return true;
  } catch (error) {
    if (hasCode(error, "KUBE_NOT_FOUND") || hasCode(error, "KUBE_NO_MATCH")) return false;
    throw error;
  }
}

function withoutNamespace(object: AnyObject): AnyObject {
  const { namespace: _cluster, ...metadata } = object.metadata;
  return { ...object, metadata };
}
