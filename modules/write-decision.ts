import { jsonEqual } from "@kyma-operators/runtime";
import { labels } from "../apis/operator/labels.ts";
import { isMandatory, isUnmanaged, type Manifest, type ManifestSpec } from "../apis/operator/manifest.ts";

export interface WriteQuestion {
  readonly inCluster: Manifest | undefined;
  readonly wanted: Manifest;
  readonly unmanaged: boolean;
  readonly templateGeneration: number | undefined;
  /** Generation of the template in the status of the Kyma; absent: none is recorded. */
  readonly statusTemplateGeneration: number | undefined;
}

/**
 * Whether a Manifest is written in this pass. A hand-made change of its spec, but of its values, is no reason: people
 * pause and debug modules that way, and it goes with the next version, channel or template.
 */
export function needsWrite({ inCluster, wanted, unmanaged, ...generations }: WriteQuestion): boolean {
  if (inCluster === undefined) return !unmanaged;
  // An unmanaged Manifest is on its way out; a new one follows when it is gone.
  if (isUnmanaged(inCluster)) return false;
  if (unmanaged || inCluster.spec.version !== wanted.spec.version) return true;
  if (isMandatory(wanted)) return !contains(inCluster, wanted);
  if (hasOtherChannel(inCluster, wanted) || hasOtherValues(inCluster, wanted)) return true;
  const { templateGeneration, statusTemplateGeneration } = generations;
  return (
    !isMandatory(inCluster) && statusTemplateGeneration !== undefined && statusTemplateGeneration !== templateGeneration
  );
}

/** A missing label counts as another channel: Manifests of old releases have none. */
function hasOtherChannel(inCluster: Manifest, wanted: Manifest): boolean {
  const channel = inCluster.metadata.labels?.[labels.channel];
  return channel === undefined || channel !== wanted.metadata.labels?.[labels.channel];
}

/** Values come from a place of their own, so a difference there is most often no change by hand. */
function hasOtherValues(inCluster: Manifest, wanted: Manifest): boolean {
  return !jsonEqual(valuesOf(inCluster), valuesOf(wanted));
}

/** Manifests of old releases may lack what the schema demands today. */
function valuesOf({ spec }: { readonly spec: Partial<ManifestSpec> }): unknown {
  return spec.install?.source["values"];
}

/** True when everything `wanted` says stands in `actual`; what else is there does not matter. */
export function contains(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => contains(actual[index], item))
    );
  }
  if (typeof wanted !== "object" || wanted === null) return actual === wanted;
  if (typeof actual !== "object" || actual === null) return false;
  const own = actual as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([key, value]) => value === undefined || contains(own[key], value));
}
