import type { Manifest } from "../../../apis/operator/manifest.ts";
import { digestOf } from "./digest.ts";

/** Raised when the same Manifest has to be rendered or transformed to other objects than before. */
const pipelineVersion = 1;

/** Annotations of a Manifest that steer the installation. */
export const steering = {
  readiness: "operator.kyma-project.io/readiness",
  readyWhen: "operator.kyma-project.io/ready-when",
  serviceAccount: "operator.kyma-project.io/service-account",
} as const;

/**
 * Digest of everything that decides what is installed, apart from the cluster itself. As long as it equals the one on
 * record, nothing has to be pulled, rendered or applied.
 *
 * @param more - inputs from outside the Manifest: options, versions of injected Secrets.
 */
export function fingerprintOf(manifest: Manifest, more: Readonly<Record<string, unknown>>): string {
  const { annotations = {}, labels = {} } = manifest.metadata;
  return digestOf({
    pipelineVersion,
    spec: manifest.spec,
    annotations: Object.values(steering).map((key) => annotations[key]),
    labels: ["operator.kyma-project.io/module-name", "operator.kyma-project.io/kyma-name"].map((key) => labels[key]),
    more,
  });
}
