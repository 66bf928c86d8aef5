import type { Shoot, ShootKubernetes, ShootSpec } from "@kyma-operators/gardener";
import { hasMore, poolsNeedUpdate } from "./pools.ts";

/**
 * The update that must come before the apply of a patch, or undefined where the apply is enough.
 *
 * An apply can't take away what another manager owns, and the creation of the Shoot was another manager. So this is the
 * Shoot as it is, without what the patch no longer has in places where only the Runtime decides: pools, identity
 * provider, and the binding that gives way to another kind of binding.
 */
export function updateBefore<S extends Shoot>(live: S, wanted: Shoot): S | undefined {
  const isNeeded = poolsNeedUpdate(live, wanted) || losesIdentity(live, wanted) || movesBinding(live, wanted);
  if (!isNeeded) return undefined;
  const { infrastructureConfig, controlPlaneConfig, workers } = wanted.spec.provider;
  const provider = {
    ...live.spec.provider,
    ...(infrastructureConfig === undefined ? {} : { infrastructureConfig }),
    ...(controlPlaneConfig === undefined ? {} : { controlPlaneConfig }),
    ...(workers === undefined ? {} : { workers }),
  };
  return { ...live, spec: { ...withBinding(live, wanted), provider, kubernetes: withIdentity(live, wanted) } };
}

function oidcOf({ spec }: Shoot) {
  return spec.kubernetes.kubeAPIServer?.oidcConfig;
}

/** True when fields of the identity provider go, or all of it: Gardener refuses it beside a structured one. */
function losesIdentity(live: Shoot, wanted: Shoot): boolean {
  const [is, should] = [oidcOf(live), oidcOf(wanted)];
  return is !== undefined && (should === undefined || hasMore(is, should));
}

function withIdentity(live: Shoot, wanted: Shoot): ShootKubernetes {
  if (!losesIdentity(live, wanted)) return live.spec.kubernetes;
  const { oidcConfig: _, ...server } = live.spec.kubernetes.kubeAPIServer ?? {};
  const oidcConfig = oidcOf(wanted);
  return { ...live.spec.kubernetes, kubeAPIServer: { ...server, ...(oidcConfig === undefined ? {} : { oidcConfig }) } };
}

function movesBinding(live: Shoot, wanted: Shoot): boolean {
  return live.spec.secretBindingName !== undefined && wanted.spec.credentialsBindingName !== undefined;
}

function withBinding(live: Shoot, wanted: Shoot): ShootSpec {
  if (!movesBinding(live, wanted)) return live.spec;
  const { secretBindingName: _, ...spec } = live.spec;
  const { credentialsBindingName } = wanted.spec;
  return { ...spec, ...(credentialsBindingName === undefined ? {} : { credentialsBindingName }) };
}
