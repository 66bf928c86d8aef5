export { type ArchiveLimits, type ArchiveOptions, readTarGz } from "./archive.ts";
export { filesIn } from "./artifact-files.ts";
export { createRegistryClient, type RegistryClient, type RegistryClientOptions } from "./client.ts";
export { type CosignClient, cosignManifest, cosignPayload, cosignTag, verifyCosign } from "./cosign.ts";
export {
  type Credential,
  type CredentialEntry,
  type CredentialSource,
  credentialsFrom,
  firstOf,
  noCredentials,
  parseDockerConfig,
} from "./credentials.ts";
export {
  createDigester,
  type DigestAlgorithm,
  type Digester,
  digestOf,
  isDigest,
  type ParsedDigest,
  parseDigest,
} from "./digest.ts";
export { oci as ociErrors } from "./errors.ts";
export {
  type ArtifactFiles,
  type ArtifactFormat,
  createFileClient,
  type FileClient,
  filesInMemory,
} from "./file-client.ts";
export { createLayoutClient } from "./layout.ts";
export {
  type Descriptor,
  formatPlatform,
  type ImageIndex,
  type ImageManifest,
  type Manifest,
  type Platform,
  parseManifest,
  selectPlatform,
} from "./manifest.ts";
export { isIndexType, mediaTypes } from "./media-types.ts";
export type { BlobTarget } from "./pull-blob.ts";
export type { CallOptions, PulledManifest } from "./pull-manifest.ts";
export type { BlobSource, PushBlobOptions, StreamSource } from "./push-blob.ts";
export type { PushManifestOptions } from "./push-manifest.ts";
export {
  formatReference,
  formatRepository,
  isTag,
  joinRepository,
  parseReference,
  parseRepository,
  type Reference,
  type ReferenceOptions,
  type Repository,
  repositoryOf,
} from "./reference.ts";
export { type ReferrersOptions, referrersTag } from "./referrers.ts";
export type { PlainHttpPolicy } from "./session.ts";
export { SingleFlight } from "./single-flight.ts";
export {
  type ContentOrigin,
  ContentStore,
  type ContentStoreOptions,
  type ContentStoreStats,
  type ContentTarget,
  type Directory,
  type StoredFile,
} from "./store.ts";
export { createDirectory } from "./store-files.ts";
export { createTransport, type TransportOptions } from "./system-http.ts";
export { type TarFile, writeTar } from "./tar-writer.ts";
export type { HttpRequest, HttpResponse, Transport } from "./transport.ts";
