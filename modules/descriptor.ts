import { createHash } from "node:crypto";
import { isAppError, textOf } from "@kyma-operators/errors";
import { names } from "../apis/operator/names.ts";

/** A component version by name. */
export interface ComponentVersion {
  readonly component: string;
  readonly version: string;
}

/** How to get the bytes of a resource; fields beyond `type` depend on the type. */
export interface Access {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The parts of a component descriptor that the installation of a module needs. */
export interface Descriptor {
  readonly name: string;
  readonly version: string;
  /** The last one counts. */
  readonly repositoryContexts: readonly { readonly [field: string]: unknown }[];
  readonly resources: readonly { readonly name: string; readonly type: string; readonly access: Access }[];
}

/** What the resources of a descriptor mean for a Manifest. */
export interface ModuleContent {
  readonly install?: { readonly name: string; readonly source: Readonly<Record<string, unknown>> };
  readonly config?: LayerReference;
  /** Image references in the order of the descriptor. */
  readonly images: readonly string[];
}

/** A layer as Manifests name it. */
export interface LayerReference {
  readonly repo: string;
  readonly name: string;
  readonly ref: string;
  readonly type: "oci-ref" | "oci-dir";
}

/** A text that says why a descriptor cannot be used. */
export interface DescriptorProblem {
  readonly problem: string;
}

type Resource = Descriptor["resources"][number];
type Install = NonNullable<ModuleContent["install"]>;

const blobTypes: ReadonlySet<string> = new Set(["localBlob", "localBlob/v1", "localOciBlob", "localOciBlob/v1"]);
const imageTypes: ReadonlySet<string> = new Set(
  ["ociArtifact", "ociRegistry", "ociImage", "OCIImage"].flatMap((type) => [type, `${type}/v1`]),
);

/** Reads layers and images of a module. `registry` is the configured registry, which alone is used for downloads. */
export function readContent(descriptor: Descriptor, registry: string): ModuleContent | DescriptorProblem {
  const context = descriptor.repositoryContexts.at(-1);
  const images = descriptor.resources.flatMap(localizedImage);
  if (context === undefined) return { images };
  const unsupported = descriptor.resources.find((resource) => !isCarried(resource) && !isKnown(resource.access.type));
  if (unsupported !== undefined)
    return parseProblem(`error while parsing access type ${unsupported.access.type}: access type not supported`);
  const name = repositoryName(descriptor.name, context["componentNameMapping"]);
  if (name === undefined) {
    const mapping = String(context["componentNameMapping"]);
    return parseProblem(
      `building the digest url: error while parsing componentNameMapping ${mapping}: componentNameMapping not supported`,
    );
  }
  return collect(descriptor, { repo: registry, name }, images);
}

function collect(
  descriptor: Descriptor,
  at: { readonly repo: string; readonly name: string },
  images: readonly string[],
): ModuleContent | DescriptorProblem {
  const layer = (resource: Resource): LayerReference => ({ ...at, ...layerOf(resource.access, descriptor.version) });
  const isLayer = ({ access }: Resource): boolean => blobTypes.has(access.type);
  const raw = descriptor.resources.findLast((r) => r.name === names.installName && !isCarried(r) && isLayer(r));
  const installs = [
    ...(raw === undefined ? [] : [{ name: names.installName, source: { ...layer(raw) } }]),
    ...descriptor.resources.filter(isCarried).flatMap((resource) => carriedInstall(resource, layer(resource))),
  ];
  const [install, second] = installs;
  if (second !== undefined) {
    const found = installs.map(({ name }) => name).join(", ");
    return parseProblem(
      `${descriptor.name}:${descriptor.version} has more than one install source (${found}), expected one`,
    );
  }
  const config = descriptor.resources.findLast((r) => r.name === "config" && !isCarried(r) && isLayer(r));
  return {
    ...(install === undefined ? {} : { install }),
    ...(config === undefined ? {} : { config: layer(config) }),
    images,
  };
}

/** Charts and kustomizations, which the original does not know: they are neither layers nor images to it. */
function isCarried({ name, type }: Resource): boolean {
  return type === "helmChart" || (name === "kustomize" && type === "directoryTree");
}

function carriedInstall(resource: Resource, layer: LayerReference): Install[] {
  const { name, type, access } = resource;
  const { repo, name: component, ref } = layer;
  if (blobTypes.has(access.type)) {
    return [{ name, source: { type: type === "helmChart" ? "helm-chart" : "kustomize", repo, name: component, ref } }];
  }
  if (type !== "helmChart") return [];
  if (imageTypes.has(access.type)) {
    return [{ name, source: { type: "helm-chart", url: `oci://${text(access["imageReference"])}` } }];
  }
  if (access.type.toLowerCase().replace(/\/v1$/, "") !== "helm") return [];
  const [chartName = "", version = text(access["version"])] = text(access["helmChart"]).split(":");
  return [{ name, source: { type: "helm-chart", url: text(access["helmRepository"]), chartName, version } }];
}

function isKnown(accessType: string): boolean {
  return blobTypes.has(accessType) || imageTypes.has(accessType);
}

/** Only the exact type counts; the legacy spellings give none. */
function localizedImage(resource: Resource): string[] {
  const reference = text(resource.access["imageReference"]);
  return resource.access.type === "ociArtifact" && !isCarried(resource) && reference !== "" ? [reference] : [];
}

function layerOf(access: Access, version: string): Pick<LayerReference, "ref" | "type"> {
  const ref = text(access["localReference"]) || text(access["digest"]) || version;
  return { ref, type: access["mediaType"] === "application/x-tar" ? "oci-dir" : "oci-ref" };
}

/** Name of the repository of a component below the registry; undefined for an unknown mapping. */
function repositoryName(component: string, mapping: unknown): string | undefined {
  if (mapping === undefined || mapping === "" || mapping === "urlPath") return component;
  return mapping === "sha256-digest" ? createHash("sha256").update(component).digest("hex") : undefined;
}

function parseProblem(detail: string): DescriptorProblem {
  return { problem: `could not parse descriptor: ${detail}` };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const undecodable: ReadonlySet<string> = new Set(["OCM_DESCRIPTOR_INVALID", "OCM_IDENTITY_MISMATCH"]);

/** The message of a module whose descriptor could not be fetched, or was fetched and cannot be read. */
export function descriptorProblem(id: ComponentVersion, error: unknown): DescriptorProblem {
  const artifact = `ocm artifact with name="${id.component}" and version="${id.version}"`;
  const isBroken = isAppError(error) && undecodable.has(error.code);
  const step = isBroken
    ? `failed to get component descriptor for ${artifact}: failed to decode component descriptor`
    : `failed to get config file for ${artifact}`;
  return { problem: `failed to get descriptor: error finding ComponentDescriptor: ${step}: ${causeOf(error)}` };
}

/** Some causes say themselves what they are about; once is enough. */
function causeOf(error: unknown): string {
  if (!isAppError(error)) return textOf(error);
  const { where, reason } = (error.detail ?? {}) as { where?: unknown; reason?: unknown };
  if (typeof reason !== "string") return textOf(error);
  return typeof where === "string" && where !== "" ? schemaViolation(where, reason) : reason;
}

/** A fault at a path, worded as people know it: below a list of variants, the list itself is named first. */
function schemaViolation(where: string, reason: string): string {
  const path = where.replaceAll(/\[(\d+)\]/g, ".$1");
  const list = /^component\.resources(?=\.\d+\.)/.exec(path)?.[0];
  const variants = list === undefined ? "" : `${list}: Must validate one and only one schema (oneOf);`;
  return `${variants}${path}: ${reason}`;
}
