import type { AnyObject } from "@kyma-operators/kube";
import { annotations } from "../../../apis/operator/annotations.ts";
import { labels, labelValues } from "../../../apis/operator/labels.ts";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { digestOf } from "../inventory/digest.ts";
import { type FoundSecret, injectSecrets } from "./inject.ts";
import { localizeImages } from "./localize.ts";
import { normalizeNamespaces, type ScopeOf } from "./namespaces.ts";
import { addPullSecret } from "./pull-secret.ts";

const disclaimer = [
  "This object belongs to a Kyma module and is kept as the module defines it.",
  "Changes made by hand are undone; change the module or its configuration instead.",
].join("\n");

const maxLabelLength = 63;

/** What the transforms need besides the objects. */
export interface TransformInput {
  readonly manifest: Manifest;
  readonly scopeOf: ScopeOf;
  /** Name of the image pull Secret on the remote cluster, if the installation has one. */
  readonly pullSecret?: string;
  /** Secrets for the module `deployer`; absent: injection is off. */
  readonly injected?: ReadonlyMap<string, FoundSecret>;
}

/**
 * Parsed objects → the objects to apply, in upstream's order: ownership, component, disclaimer, images, pull secret,
 * injection, namespace. The input is shared between Manifests and never changed.
 */
export function transform(objects: readonly AnyObject[], input: TransformInput): readonly AnyObject[] {
  const { manifest, scopeOf, pullSecret, injected } = input;
  const marked = objects.map((object) => mark(object, manifest));
  const localized = localizeImages(marked, manifest.spec.localizedImages ?? []);
  const pullable = pullSecret === undefined ? localized : addPullSecret(localized, pullSecret, manifest.spec.manager);
  const complete = injected === undefined ? pullable : injectSecrets(manifest, pullable, injected);
  return normalizeNamespaces(complete, scopeOf);
}

/** The value of the component label: the Manifest's name, cut where a label value ends. */
export function componentOf(manifest: Manifest): string {
  const { name = "" } = manifest.metadata;
  return name.length <= maxLabelLength ? name : `${name.slice(0, maxLabelLength - 9)}-${digestOf(name).slice(0, 8)}`;
}

function mark(object: AnyObject, manifest: Manifest): AnyObject {
  const { namespace = "", name = "" } = manifest.metadata;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: {
        ...object.metadata?.labels,
        [labels.managedBy]: labelValues.managedByRemote,
        [labels.component]: componentOf(manifest),
        [labels.partOf]: labelValues.partOf,
      },
      annotations: {
        ...object.metadata?.annotations,
        [annotations.ownedBy]: `${namespace}/${name}`,
        [annotations.disclaimer]: disclaimer,
      },
    },
  };
}
