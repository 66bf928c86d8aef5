import { builtIn, type KubeObject, microTimeText } from "@kyma-operators/kube";

export const { leases } = builtIn;

/** A Lease of the API. */
export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string | null;
    leaseDurationSeconds?: number | null;
    acquireTime?: string | null;
    renewTime?: string | null;
    leaseTransitions?: number | null;
  };
}

/** Who holds a lease; empty when nobody does. */
export const holderOf = (lease: Lease): string => lease.spec?.holderIdentity ?? "";

/** The lease as its next holder writes it. */
export function takenLease(lease: Lease, claim: { identity: string; durationMs: number; now: number }): Lease {
  const time = microTimeText(claim.now);
  const isNew = holderOf(lease) !== claim.identity;
  const transitions = lease.spec?.leaseTransitions ?? 0;
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: claim.identity,
      leaseDurationSeconds: Math.ceil(claim.durationMs / 1000),
      acquireTime: isNew ? time : (lease.spec?.acquireTime ?? time),
      renewTime: time,
      leaseTransitions: isNew && lease.metadata.resourceVersion !== undefined ? transitions + 1 : transitions,
    },
  };
}

/** The lease as its holder leaves it: free at once. */
export function releasedLease(lease: Lease, now: number): Lease {
  const time = microTimeText(now);
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time },
  };
}
