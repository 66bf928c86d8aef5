import { textOf } from "@kyma-operators/errors";
import { parseYaml } from "@kyma-operators/yaml";
import { ocm } from "./errors.ts";
import { Field } from "./fields.ts";
import { parseExactJson } from "./json.ts";
import { isComponentName, isComponentNameV3, isComponentVersion, patterns } from "./names.ts";
import type {
  Access,
  ComponentDescriptor,
  ComponentReference,
  DigestSpec,
  Label,
  Provider,
  Resource,
  SchemaVersion,
  Signature,
  Source,
} from "./types.ts";

/** Options of {@link parseDescriptor}. */
export interface ParseOptions {
  /** Names the document in error texts. Default `component descriptor`. */
  readonly source?: string;
}

const v3ApiVersion = "ocm.software/v3alpha1";
const elementName = /^[a-z0-9]([-_+a-z0-9]*[a-z0-9])?$/;
const labelVersion = /^v[0-9]+$/;
const textLimit = 4_194_304;

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

function readLabel(field: Field): Label {
  const signing = field.at("signing").value;
  const version = field.at("version");
  const merge = field.at("merge");
  if (!("value" in field.object())) field.fail("value is required");
  return {
    name: field.required("name").string(),
    value: field.at("value").json(),
    ...optional("version", version.absent || version.value === "" ? undefined : version.matching(labelVersion)),
    ...optional("signing", signing === true || signing === "true" ? true : undefined),
    ...optional("merge", merge.absent ? undefined : merge.jsonObject()),
  };
}

function readLabels(field: Field): readonly Label[] {
  return field.list(readLabel);
}

function readVersion(field: Field): string {
  const version = field.string();
  return isComponentVersion(version) ? version : field.fail(`Does not match pattern '${patterns.relaxedVersion}'`);
}

function readDigest(field: Field): DigestSpec | undefined {
  if (field.absent) return undefined;
  return {
    hashAlgorithm: field.required("hashAlgorithm").string(),
    normalisationAlgorithm: field.required("normalisationAlgorithm").string(),
    value: field.required("value").string(),
  };
}

function readAccess(field: Field): Access {
  const type = field.required("type").string();
  return { ...field.jsonObject(), type };
}

function readElement(field: Field): Pick<Resource, "name" | "version" | "extraIdentity" | "labels"> {
  const name = field.required("name").matching(elementName);
  if (name.length < 2) field.at("name").fail("String length must be greater than or equal to 2");
  return {
    name,
    version: readVersion(field.required("version")),
    extraIdentity: field.at("extraIdentity").stringMap(),
    labels: readLabels(field.at("labels")),
  };
}

function readResource(field: Field): Resource {
  const relation = field.required("relation");
  const { value } = relation;
  if (value !== "local" && value !== "external") return relation.fail('expected "local" or "external"');
  return {
    ...readElement(field),
    type: field.required("type").string(),
    relation: value,
    access: readAccess(field.required("access")),
    ...optional("digest", readDigest(field.at("digest"))),
    srcRefs: field.at("srcRefs").list((entry) => entry.jsonObject()),
    referenceHints: field.at("referenceHints").list((entry) => entry.jsonObject()),
  };
}

function readSource(field: Field): Source {
  return {
    ...readElement(field),
    type: field.required("type").string(),
    access: readAccess(field.required("access")),
    referenceHints: field.at("referenceHints").list((entry) => entry.jsonObject()),
  };
}

const referenceFields = new Set(["name", "version", "componentName", "extraIdentity", "labels", "digest"]);

function readReference(field: Field): ComponentReference {
  const extra = Object.keys(field.object()).find((key) => !referenceFields.has(key));
  if (extra !== undefined) field.fail(`Additional property ${extra} is not allowed`);
  const componentName = field.required("componentName");
  const name = componentName.string();
  if (!isComponentName(name) && !isComponentNameV3(name))
    componentName.fail(`Does not match pattern '${patterns.v2Name}'`);
  return { ...readElement(field), componentName: name, ...optional("digest", readDigest(field.at("digest"))) };
}

function readSignature(field: Field): Signature {
  const digest = readDigest(field.required("digest"));
  const signature = field.required("signature");
  const timestamp = field.at("timestamp");
  return {
    name: field.required("name").string(),
    digest: digest ?? field.fail("digest is required"),
    signature: {
      algorithm: signature.required("algorithm").string(),
      value: signature.required("value").string(),
      mediaType: signature.required("mediaType").string(),
      ...optional("issuer", signature.at("issuer").optionalString()),
    },
    ...optional("timestamp", timestamp.absent ? undefined : timestamp.jsonObject()),
  };
}

function identityOf(element: Pick<Resource, "name" | "version" | "extraIdentity">): string {
  const extra = Object.entries(element.extraIdentity).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const shown = [["name", element.name], ...extra, ["version", element.version]];
  return shown.map(([key, value]) => `${JSON.stringify(key)}=${JSON.stringify(value)}`).join(",");
}

/** Two elements may share name and extra identity only when their versions tell them apart. */
function assertUnique(
  lists: Field,
  kind: string,
  elements: readonly Pick<Resource, "name" | "version" | "extraIdentity">[],
): void {
  const seen = new Set<string>();
  for (const [i, element] of elements.entries()) {
    const identity = identityOf(element);
    if (seen.has(identity)) {
      const reason = `Duplicate value: ${JSON.stringify(`duplicate ${kind} ${identity}`)}`;
      new Field(lists.source, `${lists.where}[${i}]`, element).fail(reason);
    }
    seen.add(identity);
  }
}

function readProvider(field: Field): Provider {
  return { name: field.required("name").string(), labels: readLabels(field.at("labels")) };
}

/** v2 keeps a provider with labels as JSON inside its string; a text that is no JSON is a plain name. */
function readProviderText(field: Field): Provider {
  const text = field.string();
  const parsed = parseJson(text);
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return isObject ? readProvider(new Field(field.source, field.where, parsed)) : { name: text, labels: [] };
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

type Body = Omit<ComponentDescriptor, "schemaVersion" | "name" | "version" | "provider" | "labels" | "creationTime">;

/** What both schemas share, found in different places. */
function readBody(lists: Field, references: string, top: Field): Omit<Body, "repositoryContexts"> {
  const body = {
    resources: lists.at("resources").list(readResource),
    sources: lists.at("sources").list(readSource),
    references: lists.at(references).list(readReference),
    signatures: top.at("signatures").list(readSignature),
    nestedDigests: top.at("nestedDigests").list((entry) => entry.jsonObject()),
  };
  assertUnique(lists.at("resources"), "resource", body.resources);
  assertUnique(lists.at("sources"), "source", body.sources);
  assertUnique(lists.at(references), "reference", body.references);
  return body;
}

function readContexts(field: Field): readonly Access[] {
  return field.list((entry) => readAccess(entry));
}

function readV2(top: Field): ComponentDescriptor {
  const component = top.required("component");
  const name = component.required("name");
  for (const key of ["version", "provider", "repositoryContexts", "resources", "sources", "componentReferences"])
    component.required(key);
  if (!isComponentName(name.string())) name.fail(`Does not match pattern '${patterns.v2Name}'`);
  return {
    schemaVersion: "v2",
    name: name.string(),
    version: readVersion(component.at("version")),
    provider: readProviderText(component.at("provider")),
    labels: readLabels(component.at("labels")),
    ...optional("creationTime", component.at("creationTime").optionalString()),
    repositoryContexts: readContexts(component.at("repositoryContexts")),
    ...readBody(component, "componentReferences", top),
  };
}

function readV3(top: Field): ComponentDescriptor {
  const kind = top.required("kind");
  if (kind.value !== "ComponentVersion") kind.fail("expected ComponentVersion");
  const metadata = top.required("metadata");
  const name = metadata.required("name");
  if (!isComponentNameV3(name.string())) name.fail(`Does not match pattern '${patterns.v3Name}'`);
  const spec = top.at("spec").absent ? new Field(top.source, "spec", {}) : top.at("spec");
  return {
    schemaVersion: "v3alpha1",
    name: name.string(),
    version: readVersion(metadata.required("version")),
    provider: readProvider(metadata.required("provider")),
    labels: readLabels(metadata.at("labels")),
    ...optional("creationTime", metadata.at("creationTime").optionalString()),
    repositoryContexts: readContexts(top.at("repositoryContexts")),
    ...readBody(spec, "references", top),
  };
}

function parseDocument(input: string | Uint8Array, source: string): unknown {
  const refuse = (reason: string): Error => ocm.DESCRIPTOR_INVALID({ source, where: "", reason });
  if (input.length > textLimit) throw refuse(`larger than ${textLimit} bytes`);
  try {
    const text = typeof input === "string" ? input : new TextDecoder("utf-8", { fatal: true }).decode(input);
    return parseYaml(text, { name: source, integers: "bigint" });
  } catch (error) {
    throw refuse(`not readable as YAML or JSON: ${textOf(error)}`);
  }
}

function schemaOf(top: Field): SchemaVersion {
  const apiVersion = top.at("apiVersion");
  const meta = top.at("meta");
  const isV2 = apiVersion.absent && !meta.absent && meta.at("schemaVersion").value === "v2";
  if (isV2) return "v2";
  if (apiVersion.value === v3ApiVersion) return "v3alpha1";
  const found = apiVersion.value ?? (meta.absent ? "" : (meta.at("schemaVersion").value ?? ""));
  return top.fail(`schema version ${JSON.stringify(found)} not supported, expected v2 or ${v3ApiVersion}`);
}

/**
 * Reads a component descriptor of schema v2 or v3alpha1 from YAML, JSON, or an object already parsed.
 *
 * Checks what the published JSON schemas check: required fields, names, versions, and that no two
 * elements have the same identity. Unknown access types are kept as they are.
 *
 * @throws OCM_DESCRIPTOR_INVALID, which names the field
 */
export function parseDescriptor(input: string | Uint8Array | object, options: ParseOptions = {}): ComponentDescriptor {
  const { source = "component descriptor" } = options;
  const parsed = typeof input === "string" || input instanceof Uint8Array ? parseDocument(input, source) : input;
  const top = new Field(source, "", parsed ?? {});
  return schemaOf(top) === "v2" ? readV2(top) : readV3(top);
}
