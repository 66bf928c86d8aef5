import { hash } from "node:crypto";
import { ocm } from "./errors.ts";
import { encodeCanonical, encodeFloating } from "./json.ts";
import type { ComponentDescriptor, JsonObject, JsonValue, Label, Provider, Resource } from "./types.ts";
import { descriptorToObject, writeProvider, writeReference, writeResource, writeSource } from "./write.ts";

/** The algorithms that turn a descriptor into the bytes that are hashed and signed. */
export const normalisations = ["jsonNormalisation/v1", "jsonNormalisation/v2", "jsonNormalisation/v3"] as const;

export type Normalisation = (typeof normalisations)[number];

/** Reads the name of an algorithm. Throws OCM_NORMALISATION_UNKNOWN. */
export function parseNormalisation(text: string): Normalisation {
  const known = normalisations.find((name) => name === text);
  if (known === undefined) throw ocm.NORMALISATION_UNKNOWN({ algorithm: text.slice(0, 100) });
  return known;
}

type Fields = Readonly<Record<string, JsonValue | undefined>>;

function without(object: JsonObject, dropped: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !dropped.includes(key)));
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Labels that are signed, without what may change; a list that becomes empty is dropped. */
function withSignedLabels(object: JsonObject): JsonObject {
  const labels = object["labels"];
  if (!Array.isArray(labels)) return object;
  const signed = (labels as readonly JsonObject[])
    .filter(({ signing }) => signing === true || signing === "true")
    .map((label) => without(label, ["merge"]));
  return signed.length === 0 ? without(object, ["labels"]) : { ...object, labels: signed };
}

/** A resource without access has no content that a digest could be of. */
function hasContent(resource: JsonObject): boolean {
  const access = resource["access"];
  const type = isObject(access) ? access["type"] : undefined;
  return type !== "none" && type !== "None";
}

function signedResource(resource: JsonObject): JsonObject {
  const dropped = ["access", "srcRefs", ...(hasContent(resource) ? [] : ["digest"])];
  return withSignedLabels(without(resource, dropped));
}

/**
 * The older algorithms give elements that share name and extra identity their version as an identity.
 * They go through the list once, so the last of a group finds no twin any more and keeps none.
 */
function withVersionIdentity<T extends Pick<Resource, "name" | "version" | "extraIdentity">>(
  elements: readonly T[],
): readonly T[] {
  const result = [...elements];
  const identity = ({ name, extraIdentity }: T): string => encodeCanonical({ name, extraIdentity });
  for (const [i, element] of result.entries()) {
    const twin = result.some((other, j) => j !== i && identity(other) === identity(element));
    if (twin) result[i] = { ...element, extraIdentity: { ...element.extraIdentity, version: element.version } };
  }
  return result;
}

function withVersionIdentities(descriptor: ComponentDescriptor): ComponentDescriptor {
  return {
    ...descriptor,
    resources: withVersionIdentity(descriptor.resources),
    references: withVersionIdentity(descriptor.references),
  };
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}

/** v1 of schema v2 writes an absent extra identity as null. */
function withIdentity(element: JsonObject): JsonObject {
  return { ...element, extraIdentity: element["extraIdentity"] ?? null };
}

/** v2 writes a provider without labels as its name, and v1 takes the text of one with labels apart again. */
function providerOfV2(provider: Provider): JsonValue {
  return provider.labels.length === 0 ? provider.name : withSignedLabels(writeProvider(provider));
}

function basisOfV2(document: JsonObject, provider: Provider): JsonObject {
  const component = document["component"] as JsonObject;
  return {
    meta: document["meta"] ?? {},
    component: withSignedLabels({
      ...without(component, ["repositoryContexts", "sources"]),
      provider: providerOfV2(provider),
      resources: objects(component["resources"]).map((entry) => withIdentity(signedResource(entry))),
      componentReferences: objects(component["componentReferences"]).map((entry) =>
        withIdentity(withSignedLabels(entry)),
      ),
    }),
  };
}

function basisOfV3(document: JsonObject): JsonObject {
  const spec = (document["spec"] ?? {}) as JsonObject;
  const lists: Fields = {
    resources: spec["resources"] && objects(spec["resources"]).map(signedResource),
    sources: spec["sources"] && objects(spec["sources"]).map((entry) => withSignedLabels(without(entry, ["access"]))),
    references: spec["references"] && objects(spec["references"]).map(withSignedLabels),
  };
  return {
    apiVersion: document["apiVersion"] ?? "",
    kind: document["kind"] ?? "",
    metadata: withSignedLabels((document["metadata"] ?? {}) as JsonObject),
    spec: Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)) as JsonObject,
  };
}

/** Every object becomes a list of one-key objects in the order of the keys. */
function entryList(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((entry: JsonValue) => entryList(entry));
  if (!isObject(value)) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => ({ [key]: entryList(entry) }));
}

function normaliseV1(descriptor: ComponentDescriptor): string {
  const document = descriptorToObject(withVersionIdentities(descriptor));
  const basis = descriptor.schemaVersion === "v2" ? basisOfV2(document, descriptor.provider) : basisOfV3(document);
  return encodeFloating(entryList(basis));
}

function labelsOf(labels: readonly Label[]): JsonObject {
  return labels.length === 0 ? {} : { labels: labels.map((label) => ({ ...label })) };
}

/** The model itself, whatever the schema it was read from. */
function normaliseModel(descriptor: ComponentDescriptor): string {
  const { name, version, creationTime } = descriptor;
  const component: JsonObject = {
    name,
    version,
    provider: withSignedLabels(writeProvider(descriptor.provider)),
    ...labelsOf(descriptor.labels),
    ...(creationTime === undefined ? {} : { creationTime }),
    resources: descriptor.resources.map((resource) => signedResource(writeResource(resource))),
    sources: descriptor.sources.map((source) => withSignedLabels(without(writeSource(source), ["access"]))),
    // labels of references stay: the reference library names another field in its list of exclusions
    componentReferences: descriptor.references.map(writeReference),
  };
  return encodeCanonical({ component: withSignedLabels(component) });
}

/**
 * The text of a descriptor that does not depend on access, repository contexts, unsigned labels and
 * formatting; what is hashed and signed.
 */
export function normalise(descriptor: ComponentDescriptor, algorithm: Normalisation): string {
  if (algorithm === "jsonNormalisation/v1") return normaliseV1(descriptor);
  return normaliseModel(algorithm === "jsonNormalisation/v2" ? withVersionIdentities(descriptor) : descriptor);
}

/** Hash algorithms of descriptors with their names in Node.js. */
export const hashAlgorithms = { "SHA-256": "sha256", "SHA-512": "sha512" } as const;

export type HashAlgorithm = keyof typeof hashAlgorithms;

/** The hash of a normalised descriptor, in lower-case hex. */
export function digestOfDescriptor(
  descriptor: ComponentDescriptor,
  algorithm: Normalisation,
  hashAlgorithm: HashAlgorithm = "SHA-256",
): string {
  return hash(hashAlgorithms[hashAlgorithm], normalise(descriptor, algorithm), "hex");
}
