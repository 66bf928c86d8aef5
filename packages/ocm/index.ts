export { type KnownAccess, parseAccess } from "./access.ts";
export { DescriptorCache, type DescriptorCacheOptions } from "./cache.ts";
export {
  type ContentClient,
  completeDigests,
  completeReferences,
  type LocatedComponent,
  pullResource,
  type ReferenceSource,
  verifyContents,
  verifyCoverage,
} from "./contents.ts";
export { createTransportClient, listComponents, readTransportArchive, writeTransportArchive } from "./ctf.ts";
export { ocm as ocmErrors } from "./errors.ts";
export { componentId, findResource, isExcluded, ociDigestOf, type ResourceLocation, resolveLayer } from "./layers.ts";
export {
  type ComponentNameMapping,
  type ComponentRepository,
  isComponentName,
  isComponentVersion,
  mappedName,
  parseMapping,
  repositoryFor,
  tagOf,
  versionOfTag,
} from "./names.ts";
export {
  digestOfDescriptor,
  type HashAlgorithm,
  type Normalisation,
  normalisations,
  normalise,
  parseNormalisation,
} from "./normalise.ts";
export {
  type KeyReference,
  type PolicyRule,
  parseVerificationPolicy,
  type Requirement,
  ruleFor,
  type VerificationPolicy,
} from "./policy.ts";
export {
  type ComponentVersion,
  descriptorLimitBytes,
  getComponentVersion,
  type PullClient,
  type PullOptions,
  pullComponentVersion,
} from "./pull.ts";
export {
  buildComponentArtifact,
  type ComponentArtifact,
  type LocalBlob,
  type PushOptions,
  pushComponentVersion,
} from "./push.ts";
export { type ParseOptions, parseDescriptor } from "./read.ts";
export { annotations as ocmAnnotations, componentMediaTypes } from "./repository-media-types.ts";
export {
  parsePrivateKey,
  parsePublicKey,
  type SignatureAlgorithm,
  type SignOptions,
  signatureAlgorithms,
  signDescriptor,
  verifySignature,
} from "./signature.ts";
export type {
  Access,
  ComponentDescriptor,
  ComponentReference,
  DigestSpec,
  JsonObject,
  JsonValue,
  Label,
  Provider,
  Resource,
  SchemaVersion,
  Signature,
  SignatureSpec,
  Source,
} from "./types.ts";
export { type KeySource, Verifier, type VerifierDependencies } from "./verifier.ts";
export { descriptorToObject, formatDescriptor } from "./write.ts";
