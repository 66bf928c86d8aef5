import { fieldManagers } from "../apis/operator/finalizers.ts";
import type { Kyma, KymaSpec } from "../apis/operator/kyma.ts";
import { withKymaDefaults } from "../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../apis/operator/module-template.ts";
import { names } from "../apis/operator/names.ts";
import { catalogLeftovers, remoteCatalog } from "../modules/remote-catalog.ts";
import { hasMarks, newRemoteKyma, remoteMarks, remoteStatus, specFromRemote } from "../modules/remote-kyma.ts";

type CatalogObject = ModuleTemplate | ModuleReleaseMeta;

interface CatalogRow {
  readonly kcp: readonly CatalogObject[];
  readonly kyma: Kyma;
  readonly skr: readonly CatalogObject[];
  readonly catalogOwned: readonly string[];
  readonly restrictedModules: readonly string[];
  readonly syncNamespace?: string;
}

const isTemplate = (object: CatalogObject): object is ModuleTemplate => object.kind === "ModuleTemplate";
const isMeta = (object: CatalogObject): object is ModuleReleaseMeta => object.kind === "ModuleReleaseMeta";
const idOf = ({ kind, metadata }: CatalogObject): string => `${kind}/${metadata.namespace}/${metadata.name}`;

/** What is on the remote cluster after the catalog was synchronised. */
export function catalogRow({ kcp, kyma, skr, catalogOwned, restrictedModules, syncNamespace }: CatalogRow): unknown {
  const wanted = remoteCatalog({
    kyma,
    metas: kcp.filter(isMeta),
    templates: kcp.filter(isTemplate),
    restrictedModules,
    syncNamespace: syncNamespace ?? names.remoteNamespace,
  });
  const applied = [...wanted.templates, ...wanted.metas];
  const present = skr.map((object) => ({
    ...object,
    metadata: { ...object.metadata, ...ownership(object, catalogOwned) },
  }));
  const gone = new Set(catalogLeftovers(present, applied).map(idOf));
  const written = new Set(applied.map(idOf));
  const left = skr.filter((object) => !gone.has(idOf(object)) && !written.has(idOf(object)));
  const after = [...applied, ...left].map(withServerDefaults);
  return { moduleTemplates: after.filter(isTemplate), moduleReleaseMetas: after.filter(isMeta) };
}

function ownership({ metadata }: CatalogObject, owned: readonly string[]) {
  const manager = owned.includes(metadata.name ?? "") ? fieldManagers.catalogSync : "someone-else";
  return { managedFields: [{ manager }] };
}

/** The rows were printed by a program that writes every field of a template. */
const zeroTemplate = { channel: "", mandatory: false, requiresDowntime: false };

/** An object as the rows show it: with the defaults of its schema, without what the server counts. */
function withServerDefaults(object: CatalogObject): CatalogObject {
  const { generation: _server, ...metadata } = object.metadata;
  if (isTemplate(object)) return { ...object, metadata, spec: { ...zeroTemplate, ...object.spec } };
  return { ...object, metadata, spec: { beta: false, internal: false, ...object.spec } };
}

/** The remote Kyma after a pass over one that is there, or is not. */
export function remoteKymaRow({ kcp, skr }: { kcp: Kyma; skr: Kyma | null }): unknown {
  const before = skr ?? newRemoteKyma(kcp, names.remoteNamespace);
  const marks = remoteMarks(kcp);
  const { metadata } = before;
  const marked = hasMarks(metadata, marks)
    ? metadata
    : {
        ...metadata,
        labels: { ...metadata.labels, ...marks.labels },
        annotations: { ...metadata.annotations, ...marks.annotations },
      };
  const kcpSpecInMemory: KymaSpec = specFromRemote(withKymaDefaults(kcp), before);
  const remote = {
    ...withKymaDefaults(before),
    metadata: marked,
    status: remoteStatus(kcp.status, names.remoteNamespace),
  };
  return { kcpSpecInMemory, remote };
}
