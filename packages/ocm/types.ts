/** JSON as a descriptor may hold it; integers beyond 2^53 keep their digits. */
export type JsonValue = string | number | bigint | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The two schemas in which a descriptor is written. */
export type SchemaVersion = "v2" | "v3alpha1";

export interface Label {
  readonly name: string;
  readonly value: JsonValue;
  /** `v` and a number. */
  readonly version?: string;
  /** Part of the signed content. */
  readonly signing?: boolean;
  readonly merge?: JsonObject;
}

export interface Provider {
  readonly name: string;
  readonly labels: readonly Label[];
}

/** The digest of an artefact or of a referenced component version. */
export interface DigestSpec {
  readonly hashAlgorithm: string;
  readonly normalisationAlgorithm: string;
  /** Lower-case hex without prefix. */
  readonly value: string;
}

/** How to get the bytes. `type` decides on the other fields. */
export interface Access extends JsonObject {
  readonly type: string;
}

interface Element {
  readonly name: string;
  readonly version: string;
  readonly extraIdentity: Readonly<Record<string, string>>;
  readonly labels: readonly Label[];
}

export interface Resource extends Element {
  readonly type: string;
  readonly relation: "local" | "external";
  readonly access: Access;
  readonly digest?: DigestSpec;
  readonly srcRefs: readonly JsonObject[];
  readonly referenceHints: readonly JsonObject[];
}

export interface Source extends Element {
  readonly type: string;
  readonly access: Access;
  readonly referenceHints: readonly JsonObject[];
}

export interface ComponentReference extends Element {
  readonly componentName: string;
  readonly digest?: DigestSpec;
}

export interface SignatureSpec {
  readonly algorithm: string;
  readonly value: string;
  readonly mediaType: string;
  readonly issuer?: string;
}

export interface Signature {
  readonly name: string;
  readonly digest: DigestSpec;
  readonly signature: SignatureSpec;
  readonly timestamp?: JsonObject;
}

/** A component version described: one model for both schemas. */
export interface ComponentDescriptor {
  /** The schema it was read in and is written in. */
  readonly schemaVersion: SchemaVersion;
  readonly name: string;
  readonly version: string;
  readonly provider: Provider;
  readonly labels: readonly Label[];
  /** RFC 3339. */
  readonly creationTime?: string;
  /** Where the version was published; the last entry is the effective one. */
  readonly repositoryContexts: readonly JsonObject[];
  readonly resources: readonly Resource[];
  readonly sources: readonly Source[];
  readonly references: readonly ComponentReference[];
  readonly signatures: readonly Signature[];
  readonly nestedDigests: readonly JsonObject[];
}
