import {
  type ComponentDescriptor,
  type ComponentNameMapping,
  formatDescriptor,
  type LocalBlob,
  type Resource,
} from "@kyma-operators/ocm";
import { digestOf, parseDigest } from "oras-js";
import type { ModuleConfig } from "./config.ts";
import type { Layer } from "./source.ts";

/** A component version ready to be pushed. */
export interface ModuleComponent {
  readonly descriptor: ComponentDescriptor;
  readonly blobs: readonly LocalBlob[];
}

/** Where the component will lie; undefined when it is only packed. */
export interface Destination {
  /** Without scheme, as it stands in the descriptor. */
  readonly baseUrl: string;
  readonly mapping: ComponentNameMapping;
}

/** Describes a module version with the digest of every layer. Equal input gives an equal descriptor. */
export function buildComponent(
  config: ModuleConfig,
  layers: readonly Layer[],
  destination: Destination | undefined,
): ModuleComponent {
  const descriptor: ComponentDescriptor = {
    schemaVersion: "v2",
    name: config.name,
    version: config.version,
    provider: {
      name: "kyma-project.io",
      labels: [{ name: "kyma-project.io/built-by", value: "cli", version: "v1" }],
    },
    labels: [],
    repositoryContexts:
      destination === undefined
        ? []
        : [{ type: "OCIRegistry", baseUrl: destination.baseUrl, componentNameMapping: destination.mapping }],
    resources: layers.map((layer) => resourceOf(layer, config.version)),
    sources: [],
    references: [],
    signatures: [],
    nestedDigests: [],
  };
  return { descriptor, blobs: layers.map(({ content }) => ({ digest: digestOf(content), content })) };
}

function resourceOf({ name, type, mediaType, content }: Layer, version: string): Resource {
  const digest = digestOf(content);
  return {
    name,
    version,
    type,
    relation: "local",
    extraIdentity: {},
    labels: [],
    access: { type: "localBlob", localReference: digest, mediaType },
    digest: {
      hashAlgorithm: "SHA-256",
      normalisationAlgorithm: "genericBlobDigest/v1",
      value: parseDigest(digest).hex,
    },
    srcRefs: [],
    referenceHints: [],
  };
}

/** True when two versions carry the same content, wherever they lie and whoever signed them. */
export function isEquivalent(a: ComponentDescriptor, b: ComponentDescriptor): boolean {
  return contentText(a) === contentText(b);
}

function contentText(descriptor: ComponentDescriptor): string {
  const { creationTime: _when, ...content } = descriptor;
  return formatDescriptor({ ...content, repositoryContexts: [], signatures: [], nestedDigests: [] });
}
