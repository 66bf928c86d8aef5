import {
  type ComponentDescriptor,
  type ComponentNameMapping,
  formatDescriptor,
  type LocalBlob,
  type Resource,
  type SchemaVersion,
} from "@kyma-operators/ocm";
import { digestOf, parseDigest } from "oras-js";
import type { ModuleConfig } from "./config.ts";
import { type GitSource, sourceOf } from "./git.ts";
import { imageResource, type SecurityScan, scanLabel } from "./security.ts";
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

/** What a component is made of beside its config. */
export interface ComponentParts {
  readonly layers: readonly Layer[];
  readonly destination: Destination | undefined;
  readonly schemaVersion: SchemaVersion;
  /** The commit it is made from. */
  readonly source: GitSource | undefined;
  /** What shall be scanned. */
  readonly scan: SecurityScan | undefined;
  /** Labels of the Secret with credentials for the layers. */
  readonly credentials: Readonly<Record<string, string>> | undefined;
}

/** Describes a module version with the digest of every layer. Equal input gives an equal descriptor. */
export function buildComponent(config: ModuleConfig, parts: ComponentParts): ModuleComponent {
  const { layers, destination, scan, source, schemaVersion, credentials } = parts;
  const descriptor: ComponentDescriptor = {
    schemaVersion,
    name: config.name,
    version: config.version,
    provider: {
      name: "kyma-project.io",
      labels: [{ name: "kyma-project.io/built-by", value: "cli", version: "v1" }],
    },
    labels: scan === undefined ? [] : [scanLabel],
    repositoryContexts:
      destination === undefined
        ? []
        : [{ type: "OCIRegistry", baseUrl: destination.baseUrl, componentNameMapping: destination.mapping }],
    resources: [
      ...layers.map((layer) => resourceOf(layer, config.version, credentials)),
      ...(scan?.images ?? []).map(imageResource),
    ],
    sources: source === undefined ? [] : [sourceOf(source, config.version, scan?.sourceLabels ?? [])],
    references: [],
    signatures: [],
    nestedDigests: [],
  };
  return { descriptor, blobs: layers.map(({ content }) => ({ digest: digestOf(content), content })) };
}

function resourceOf(
  { name, type, mediaType, content }: Layer,
  version: string,
  credentials: Readonly<Record<string, string>> | undefined,
): Resource {
  const digest = digestOf(content);
  return {
    name,
    version,
    type,
    relation: "local",
    extraIdentity: {},
    labels: credentials === undefined ? [] : [{ name: "oci-registry-cred", value: credentials, version: "v1" }],
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

/** True when two versions carry the same content, wherever they lie, whoever signed them and whatever commit they are from. */
export function isEquivalent(a: ComponentDescriptor, b: ComponentDescriptor): boolean {
  return contentText(a) === contentText(b);
}

function contentText(descriptor: ComponentDescriptor): string {
  const { creationTime: _when, ...content } = descriptor;
  return formatDescriptor({ ...content, repositoryContexts: [], sources: [], signatures: [], nestedDigests: [] });
}
