import { formatYaml } from "@kyma-operators/yaml";
import { encodeJson } from "./json.ts";
import type {
  ComponentDescriptor,
  ComponentReference,
  JsonObject,
  JsonValue,
  Label,
  Provider,
  Resource,
  Signature,
  Source,
} from "./types.ts";

type Loose = Readonly<Record<string, JsonValue | undefined>>;

/** Drops what the schemas leave out when it is empty. */
function compact(fields: Loose): JsonObject {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as JsonObject;
}

function unlessEmpty<T extends readonly unknown[] | object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

function writeLabel({ name, value, version, signing, merge }: Label): JsonObject {
  return compact({ name, value, version, signing, merge });
}

function writeLabels(labels: readonly Label[]): JsonValue | undefined {
  return unlessEmpty(labels.map(writeLabel));
}

/** Provider as an object. */
export function writeProvider({ name, labels }: Provider): JsonObject {
  return compact({ name, labels: writeLabels(labels) });
}

function writeElement(element: Resource | Source | ComponentReference): Loose {
  return {
    name: element.name,
    version: element.version,
    extraIdentity: unlessEmpty(element.extraIdentity),
    labels: writeLabels(element.labels),
  };
}

/** A resource as both schemas write it. */
export function writeResource(resource: Resource): JsonObject {
  const { type, relation, access, digest, srcRefs, referenceHints } = resource;
  return compact({
    ...writeElement(resource),
    type,
    relation,
    access,
    digest: digest && { ...digest },
    srcRefs: unlessEmpty(srcRefs),
    referenceHints: unlessEmpty(referenceHints),
  });
}

/** A source as both schemas write it. */
export function writeSource(source: Source): JsonObject {
  const { type, access, referenceHints } = source;
  return compact({ ...writeElement(source), type, access, referenceHints: unlessEmpty(referenceHints) });
}

/** A component reference as both schemas write it. */
export function writeReference(reference: ComponentReference): JsonObject {
  const { componentName, digest } = reference;
  return compact({ ...writeElement(reference), componentName, digest: digest && { ...digest } });
}

function writeSignature({ name, digest, signature, timestamp }: Signature): JsonObject {
  return compact({ name, digest: { ...digest }, signature: compact({ ...signature }), timestamp });
}

function writeSignatures(descriptor: ComponentDescriptor): Loose {
  return {
    signatures: unlessEmpty(descriptor.signatures.map(writeSignature)),
    nestedDigests: unlessEmpty(descriptor.nestedDigests),
  };
}

function writeV2(descriptor: ComponentDescriptor): JsonObject {
  const { name, version, provider, labels, creationTime, repositoryContexts } = descriptor;
  const component = compact({
    name,
    version,
    // a provider with labels has no other place in this schema than a text
    provider: provider.labels.length === 0 ? provider.name : encodeJson(writeProvider(provider)),
    labels: writeLabels(labels),
    creationTime,
    repositoryContexts,
    resources: descriptor.resources.map(writeResource),
    sources: descriptor.sources.map(writeSource),
    componentReferences: descriptor.references.map(writeReference),
  });
  return compact({ meta: { schemaVersion: "v2" }, component, ...writeSignatures(descriptor) });
}

function writeV3(descriptor: ComponentDescriptor): JsonObject {
  const { name, version, provider, labels, creationTime, repositoryContexts } = descriptor;
  return compact({
    apiVersion: "ocm.software/v3alpha1",
    kind: "ComponentVersion",
    metadata: compact({ name, version, provider: writeProvider(provider), labels: writeLabels(labels), creationTime }),
    repositoryContexts,
    spec: compact({
      resources: unlessEmpty(descriptor.resources.map(writeResource)),
      sources: unlessEmpty(descriptor.sources.map(writeSource)),
      references: unlessEmpty(descriptor.references.map(writeReference)),
    }),
    ...writeSignatures(descriptor),
  });
}

/** The descriptor as an object of its schema, for a ModuleTemplate or for JSON. */
export function descriptorToObject(descriptor: ComponentDescriptor): JsonObject {
  return descriptor.schemaVersion === "v2" ? writeV2(descriptor) : writeV3(descriptor);
}

/** -0 becomes 0 on its way through Go's YAML. */
function positiveZero(value: JsonValue): JsonValue {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map((entry: JsonValue) => positiveZero(entry));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, entry]) => [key, positiveZero(entry)]));
}

/** The descriptor as YAML of its schema: sorted keys, defaults filled in, equal input gives equal bytes. */
export function formatDescriptor(descriptor: ComponentDescriptor): string {
  return formatYaml(positiveZero(descriptorToObject(descriptor)));
}
