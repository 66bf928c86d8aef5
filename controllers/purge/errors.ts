import { defineErrors } from "@kyma-operators/errors";

export const purgeErrors = defineErrors("PURGE", {
  /** The flag with the versions to drop cannot be read. */
  VERSION_MAP: {
    retry: "never",
    text: (d: { entry: string }) =>
      `--drop-crd-stored-version-map: expected Kind:version, found ${JSON.stringify(d.entry)}`,
  },
  /**
   * Objects of an old version could not be rewritten, so the version must stay on record; those outside the namespace
   * of the operator take the right to patch them, or an owner who changes them.
   */
  REWRITE: {
    retry: "backoff",
    text: (d: { kind: string; version: string; failed: number; object: string }) =>
      `${d.failed} objects of kind ${d.kind} could not be rewritten, ${d.object} for one; ${d.version} stays a stored version`,
  },
});
