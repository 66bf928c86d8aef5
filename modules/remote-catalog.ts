import { fieldManagers } from "../apis/operator/finalizers.ts";
import { apiVersion } from "../apis/operator/group.ts";
import { isBeta, isInternal, type Kyma } from "../apis/operator/kyma.ts";
import { labels, labelValues } from "../apis/operator/labels.ts";
import type { ModuleReleaseMeta } from "../apis/operator/module-release-meta.ts";
import { isVisibleTo, type ModuleTemplate, moduleTemplateName } from "../apis/operator/module-template.ts";
import type { ObjectMeta } from "../apis/operator/object.ts";
import { parseSelector } from "./label-selector.ts";

export interface CatalogInput {
  readonly kyma: Kyma;
  readonly metas: readonly ModuleReleaseMeta[];
  readonly templates: readonly ModuleTemplate[];
  readonly restrictedModules: readonly string[];
  /** Namespace on the remote cluster. */
  readonly syncNamespace: string;
}

/** What the remote cluster of a Kyma shows of the module catalog. */
export interface RemoteCatalog {
  readonly templates: readonly ModuleTemplate[];
  readonly metas: readonly ModuleReleaseMeta[];
  /** Modules that are left out because their selector cannot be used, with the reason. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The modules, channels and versions that a Kyma may choose from, as objects for its remote cluster. */
export function remoteCatalog(input: CatalogInput): RemoteCatalog {
  const visible = visibleTemplates(input);
  const problems = new Map<string, string>();
  const metas = input.metas
    .filter((meta) => meta.spec.mandatory === undefined && isOpenTo(meta, input, problems))
    .map((meta) => withChannels(meta, visible))
    .filter(({ spec }) => spec.channels?.length !== 0);
  const released = new Set(
    metas.flatMap(({ spec }) =>
      (spec.channels ?? []).map(({ version }) => moduleTemplateName(spec.moduleName, version)),
    ),
  );
  const templates = visible.filter(({ spec }) =>
    released.has(moduleTemplateName(spec.moduleName ?? "", spec.version ?? "")),
  );
  return {
    templates: templates.map((template) => remoteTemplate(template, input.syncNamespace)),
    metas: metas.map((meta) => remoteMeta(meta, input.syncNamespace)),
    problems,
  };
}

/** Kymas of one audience have the same catalog: the same flags, and the same restricted modules. */
export function audienceOf(input: Omit<CatalogInput, "templates">): string {
  const { kyma, metas, restrictedModules } = input;
  const restricted = metas.filter(({ spec }) => restrictedModules.includes(spec.moduleName));
  const open = restricted.filter((meta) => isOpenTo(meta, input, new Map())).map(({ spec }) => spec.moduleName);
  return [isBeta(kyma), isInternal(kyma), ...open.toSorted()].join("/");
}

function visibleTemplates({ kyma, templates }: CatalogInput): readonly ModuleTemplate[] {
  const flags = { beta: isBeta(kyma), internal: isInternal(kyma) };
  return templates.filter((template) => isVisibleTo(template, flags));
}

/** A restricted module needs a selector that matches; any other must have none. */
function isOpenTo(
  meta: ModuleReleaseMeta,
  input: Pick<CatalogInput, "kyma" | "restrictedModules">,
  problems: Map<string, string>,
): boolean {
  const { moduleName, kymaSelector } = meta.spec;
  const restricted = input.restrictedModules.includes(moduleName);
  if (!restricted) {
    if (kymaSelector !== undefined) problems.set(moduleName, "has kymaSelector but is not in restricted modules list");
    return kymaSelector === undefined;
  }
  const selector = parseSelector(kymaSelector);
  if ("problem" in selector) {
    problems.set(moduleName, `failed to parse kymaSelector on ModuleReleaseMeta: ${selector.problem}`);
    return false;
  }
  return selector.matches(input.kyma.metadata.labels ?? {});
}

/** Only channels whose version has a template of the agreed name. */
function withChannels(meta: ModuleReleaseMeta, visible: readonly ModuleTemplate[]): ModuleReleaseMeta {
  const names = new Set(visible.map(({ metadata }) => metadata.name));
  const { moduleName, channels = [] } = meta.spec;
  const kept = channels.filter(({ version }) => names.has(moduleTemplateName(moduleName, version)));
  return { ...meta, spec: { ...meta.spec, channels: kept } };
}

/** What an object of the remote cluster must show so that {@link catalogLeftovers} can judge it. */
interface Present {
  readonly kind: string;
  readonly metadata: ObjectMeta & { readonly managedFields?: readonly { readonly manager?: string }[] };
}

/** Objects of an earlier synchronisation that are no longer wanted. What others put there stays. */
export function catalogLeftovers<T extends Present>(present: readonly T[], wanted: readonly Present[]): readonly T[] {
  const keep = new Set(wanted.map(idOf));
  return present.filter(
    (object) =>
      !keep.has(idOf(object)) &&
      (object.metadata.managedFields?.some(({ manager }) => manager === fieldManagers.catalogSync) ?? false),
  );
}

function idOf({ kind, metadata }: Present): string {
  return `${kind}/${metadata.namespace}/${metadata.name}`;
}

// Zero values are sent as such: a value that a user set on the remote cluster is taken back only if the apply names it.
function remoteTemplate({ metadata, spec }: ModuleTemplate, namespace: string): ModuleTemplate {
  return {
    apiVersion,
    kind: "ModuleTemplate",
    metadata: remoteMetadata(metadata, namespace),
    spec: { channel: "", mandatory: false, requiresDowntime: false, ...spec },
  };
}

function remoteMeta({ metadata, spec }: ModuleReleaseMeta, namespace: string): ModuleReleaseMeta {
  return {
    apiVersion,
    kind: "ModuleReleaseMeta",
    metadata: remoteMetadata(metadata, namespace),
    spec: { beta: false, internal: false, ...spec },
  };
}

function remoteMetadata({ name = "", labels: own, annotations }: ObjectMeta, namespace: string): ObjectMeta {
  return {
    name,
    namespace,
    labels: { ...own, [labels.managedBy]: labelValues.managedByRemote },
    ...(annotations === undefined ? {} : { annotations }),
  };
}
