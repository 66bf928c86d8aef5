/** Media types that the client knows by name. */
export const mediaTypes = {
  ociManifest: "application/vnd.oci.image.manifest.v1+json",
  ociIndex: "application/vnd.oci.image.index.v1+json",
  /** Written by early ORAS versions; read only. */
  ociArtifact: "application/vnd.oci.artifact.manifest.v1+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  dockerList: "application/vnd.docker.distribution.manifest.list.v2+json",
  emptyConfig: "application/vnd.oci.empty.v1+json",
  octetStream: "application/octet-stream",
  tar: "application/x-tar",
  helmConfig: "application/vnd.cncf.helm.config.v1+json",
  helmChart: "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
} as const;

export const manifestTypes: readonly string[] = [
  mediaTypes.ociManifest,
  mediaTypes.ociIndex,
  mediaTypes.ociArtifact,
  mediaTypes.dockerManifest,
  mediaTypes.dockerList,
];

/** True for the two media types that list other manifests. */
export function isIndexType(mediaType: string): boolean {
  return mediaType === mediaTypes.ociIndex || mediaType === mediaTypes.dockerList;
}
