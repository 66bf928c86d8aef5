import { formatFieldError, SchemaCompiler, validateResource, withObjectMeta } from "@kyma-operators/schema";
import { z } from "zod";
import type { EmbeddedObject } from "../../../apis/operator/object.ts";
import type { ModuleConfig } from "./config.ts";
import { createErrors } from "./errors.ts";
import { documentsIn, type Place, readPlace } from "./source.ts";

/** The default resource of a module, checked. */
export interface DefaultCr {
  readonly object: EmbeddedObject;
  readonly content: Uint8Array;
  readonly clusterScoped: boolean;
}

const embedded = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().min(1) }),
});

const crdShape = z.looseObject({
  kind: z.literal("CustomResourceDefinition"),
  spec: z.looseObject({
    group: z.string(),
    scope: z.string(),
    names: z.looseObject({ kind: z.string() }),
    versions: z.array(
      z.looseObject({
        name: z.string(),
        schema: z.looseObject({ openAPIV3Schema: z.record(z.string(), z.unknown()) }).optional(),
      }),
    ),
  }),
});

type Crd = z.infer<typeof crdShape>;

/**
 * Reads the default resource and checks it against the CRD among the module's documents. Undefined when the config
 * names none. Throws `CREATE_SOURCE_INVALID` without a CRD that serves it, and `CREATE_DEFAULT_CR_INVALID`.
 */
export async function loadDefaultCr(
  place: Place,
  { defaultCR: source }: ModuleConfig,
  documents: readonly unknown[],
): Promise<DefaultCr | undefined> {
  if (source === undefined) return undefined;
  const refuse = (problem: string): Error => createErrors.SOURCE_INVALID({ field: "defaultCR", source, problem });
  const content = await readPlace(place, "defaultCR", source);
  const found = documentsIn(content, source);
  const read = embedded.safeParse(found[0]);
  if (found.length !== 1 || !read.success) {
    throw refuse("expected one object with apiVersion, kind and metadata.name");
  }
  const object = read.data as EmbeddedObject;
  const crd = documents.flatMap(crdOf).find((candidate) => serves(candidate, object));
  if (crd === undefined) {
    throw refuse(`no CustomResourceDefinition of the module serves ${object.apiVersion} ${object.kind}`);
  }
  const problems = faultsOf(crd, object);
  if (problems.length > 0) throw createErrors.DEFAULT_CR_INVALID({ source, kind: object.kind, problems });
  return { object, content, clusterScoped: crd.spec.scope === "Cluster" };
}

function crdOf(document: unknown): readonly Crd[] {
  const read = crdShape.safeParse(document);
  return read.success ? [read.data] : [];
}

function serves({ spec }: Crd, { apiVersion, kind }: EmbeddedObject): boolean {
  return spec.names.kind === kind && spec.versions.some(({ name }) => `${spec.group}/${name}` === apiVersion);
}

function faultsOf({ spec }: Crd, object: EmbeddedObject): readonly string[] {
  const served = spec.versions.find(({ name }) => `${spec.group}/${name}` === object.apiVersion);
  const raw = served?.schema?.openAPIV3Schema;
  const schema = withObjectMeta(raw === undefined ? undefined : new SchemaCompiler().compile(raw));
  return validateResource(schema, object).map(formatFieldError);
}
