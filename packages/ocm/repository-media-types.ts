/** Media types of component versions in a registry; the first of each list is the one that is written. */
export const componentMediaTypes = {
  config: [
    "application/vnd.ocm.software.component.config.v1+json",
    "application/vnd.gardener.cloud.cnudie.component.config.v1+json",
    "application/vnd.oci.gardener.cloud.cnudie.component-descriptor-metadata.config.v2+json",
  ],
  descriptorTar: [
    "application/vnd.ocm.software.component-descriptor.v2+yaml+tar",
    "application/vnd.gardener.cloud.cnudie.component-descriptor.v2+yaml+tar",
    "application/vnd.oci.gardener.cloud.cnudie.component-descriptor.config.v2+yaml+tar",
  ],
  descriptorYaml: [
    "application/vnd.ocm.software.component-descriptor.v2+yaml",
    "application/vnd.gardener.cloud.cnudie.component-descriptor.v2+yaml",
  ],
  descriptorJson: [
    "application/vnd.ocm.software.component-descriptor.v2+json",
    "application/vnd.gardener.cloud.cnudie.component-descriptor.v2+json",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export const annotations = {
  artifact: "software.ocm.artifact",
  componentVersion: "software.ocm.componentversion",
  creator: "software.ocm.creator",
  /** Marks the descriptor manifest of an index. */
  descriptor: "software.ocm.descriptor",
} as const;
