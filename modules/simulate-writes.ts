import type { Manifest } from "../apis/operator/manifest.ts";
import type { ManifestWrite } from "./plan-modules.ts";

/** The Manifests after the writes were carried out by an API server: in their order, new ones at the end. */
export function afterWrites(manifests: readonly Manifest[], writes: readonly ManifestWrite[]): readonly Manifest[] {
  return writes.reduce(afterWrite, manifests);
}

function afterWrite(manifests: readonly Manifest[], { verb, manifest }: ManifestWrite): readonly Manifest[] {
  const { name } = manifest.metadata;
  const present = manifests.find(({ metadata }) => metadata.name === name);
  if (present === undefined) return verb === "apply" ? [...manifests, withDefaults(manifest)] : manifests;
  const next = verb === "delete" ? deleted(present) : withDefaults(changed(present, verb, manifest));
  return manifests.flatMap((other) => (other !== present ? [other] : next === undefined ? [] : [next]));
}

/** Gone, or on its way out as long as somebody's finalizer holds it. */
function deleted(manifest: Manifest): Manifest | undefined {
  const held = (manifest.metadata.finalizers ?? []).length > 0;
  if (!held) return undefined;
  // The time is the server's to set; any says the same.
  return { ...manifest, metadata: { ...manifest.metadata, deletionTimestamp: "1970-01-01T00:00:00Z" } };
}

function changed(present: Manifest, verb: "apply" | "replace", manifest: Manifest): Manifest {
  return verb === "apply" ? (merged(present, manifest) as Manifest) : { ...present, spec: manifest.spec };
}

/** As a forced apply leaves it: what it names is as it says, all else stays. Lists are taken as a whole. */
function merged(present: unknown, applied: unknown): unknown {
  if (!isMap(present) || !isMap(applied)) return applied;
  const fields = Object.entries(applied).map(([key, value]) => [key, merged(present[key], value)]);
  return { ...present, ...Object.fromEntries(fields) };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withDefaults(manifest: Manifest): Manifest {
  return { ...manifest, spec: { customResourcePolicy: "CreateAndDelete", ...manifest.spec } };
}
