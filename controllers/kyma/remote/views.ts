import type { Kyma, KymaStatus } from "../../../apis/operator/kyma.ts";
import type { AgentView } from "../options.ts";

/** The remote Kyma without its status, which is kept as a text. */
export type SeenKyma = Pick<Kyma, "metadata" | "spec"> & {
  readonly statusText: string;
  /** The status of the control plane that {@link statusText} shows, once the two were compared. */
  readonly shown?: KymaStatus;
};

/**
 * What we know of one remote cluster. It is only ever a reason to send nothing: when it is lost, the next pass looks
 * at everything again.
 */
export interface RemoteView {
  readonly clusterId: string;
  /** When everything was last looked at, milliseconds since the epoch. */
  checkedAtMs: number;
  kyma?: SeenKyma;
  /** Digest of the catalog that the cluster shows. */
  catalog?: string;
  /** Revision of the image pull Secret that was copied. */
  pullSecret?: string;
  /** What was last found of the watcher agent. */
  agent?: AgentView;
  /** How often in a row the agent was found not to be ready yet. */
  agentLooks: number;
  /** When the remote Kyma is to be read again: what was changed before the agent served, nobody has told. */
  readAgainAtMs?: number;
  /** Revision of our CRDs that are there and served. */
  crds?: string;
}

/** An agent has no probe: its Pod is ready before it listens. */
const agentListensAfterMs = 5_000;
/** After a change of its Deployment, a new Pod takes the place of the one that is ready still. */
const agentReplacedAfterMs = 30_000;

/**
 * Keeps what was found of the agent. An agent that serves since a moment ago may have missed what users have changed,
 * so the remote Kyma is read again once it surely listens. Where nothing is known from before (a new process, or a view
 * that was dropped), its Deployment tells: one that has been as it is for long has reported everything since the Kyma
 * was read, and costs no request more.
 */
export function seeAgent(view: RemoteView, agent: AgentView, nowMs: number): void {
  const before = view.agent;
  view.agent = agent;
  view.agentLooks = agent.ready ? 0 : view.agentLooks + 1;
  if (!agent.ready || (before?.ready === true && before.digest === agent.digest)) return;
  if (before === undefined && nowMs - agent.changedAtMs >= agentReplacedAfterMs) return;
  view.readAgainAtMs = nowMs + (before?.ready === false ? agentListensAfterMs : agentReplacedAfterMs);
}

/** The remote Kyma waits for somebody's finalizer. When it has gone, nobody tells, and a new one has to be made. */
export function isLeaving(view: RemoteView | undefined): boolean {
  return view?.kyma?.metadata.deletionTimestamp !== undefined;
}

/** The views of all remote clusters, by the name of their Kyma. */
export class RemoteViews {
  readonly #views = new Map<string, RemoteView>();

  /** The view, if it is of this cluster. */
  get(kyma: string, clusterId: string): RemoteView | undefined {
    const view = this.#views.get(kyma);
    return view?.clusterId === clusterId ? view : undefined;
  }

  /** The view of whatever cluster was looked at last. */
  latest(kyma: string): RemoteView | undefined {
    return this.#views.get(kyma);
  }

  /** A new view in which everything was looked at just now. */
  renew(kyma: string, clusterId: string, nowMs: number): RemoteView {
    const view: RemoteView = { clusterId, checkedAtMs: nowMs, agentLooks: 0 };
    this.#views.set(kyma, view);
    return view;
  }

  /** Makes the next pass look at everything: something has changed there, or a request failed half-way. */
  drop(kyma: string): void {
    this.#views.delete(kyma);
  }
}
