import { type ObjectKey, parseTime } from "@kyma-operators/kube";
import type { Kyma, ModuleStatus } from "../../../apis/operator/kyma.ts";
import { labels } from "../../../apis/operator/labels.ts";
import { isMandatory, type Manifest } from "../../../apis/operator/manifest.ts";

/**
 * Why a Manifest is an orphan, or `undefined`: the Kyma that it names does not exist, or, once the Manifest is old
 * enough, does not mention it in its status. Mandatory modules are never mentioned. Nothing is deleted for it: somebody
 * has to look.
 *
 * A Kyma also mentions the Manifest of a module whose release it cannot find at the moment, a template or a descriptor:
 * its entry then holds the reason instead of a reference, and what runs goes on.
 */
export function orphanReason(
  manifest: Manifest,
  kyma: Kyma | undefined,
  { nowMs, toleranceMs }: { readonly nowMs: number; readonly toleranceMs: number },
): string | undefined {
  if (kyma === undefined) return "parent Kyma does not exist";
  if (isMandatory(manifest) || ageMs(manifest, nowMs) <= toleranceMs) return undefined;
  const { modules = [] } = kyma.status ?? {};
  return modules.some((module) => mentions(module, manifest)) ? undefined : "manifest is not referenced in Kyma status";
}

function mentions({ name, manifest, message }: ModuleStatus, { metadata }: Manifest): boolean {
  if (manifest !== undefined) return manifest.metadata?.name === metadata.name;
  return message !== undefined && message !== "" && name === metadata.labels?.[labels.moduleName];
}

/** Key of the Kyma that a Manifest belongs to. */
export function kymaKeyOf(manifest: Manifest, kymaName: string): ObjectKey {
  return { namespace: manifest.metadata.namespace ?? "", name: kymaName };
}

/** Milliseconds since the Manifest was created. */
export function ageMs({ metadata }: Manifest, nowMs: number): number {
  return nowMs - (parseTime(metadata.creationTimestamp) ?? nowMs);
}
