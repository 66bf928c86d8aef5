import { createHash } from "node:crypto";
import type { AnyObject } from "@kyma-operators/kube";
import { formatYamlDocuments } from "@kyma-operators/yaml";
import { annotations } from "../../apis/operator/annotations.ts";
import { apiVersion } from "../../apis/operator/group.ts";
import { defaultChannel, type Kyma, type KymaModule } from "../../apis/operator/kyma.ts";
import { labels, labelValues } from "../../apis/operator/labels.ts";

/** On the Kyma: what the last deployment has applied. */
export const appliedAnnotation = "cli.kyma-project.io/applied";
/** On objects that this program has made: what from. */
export const sourceAnnotation = "cli.kyma-project.io/source";

/** Everything a deployment consists of, phase by phase; the same with and without a cluster. */
export interface DeployPlan {
  readonly crds: readonly AnyObject[];
  readonly operator: readonly AnyObject[];
  readonly access: readonly AnyObject[];
  /** Domain, certificate and values for modules. */
  readonly configuration: readonly AnyObject[];
  readonly templates: readonly AnyObject[];
  /** As it is created where there is none. */
  readonly kyma: Kyma;
}

export interface KymaInput {
  readonly name: string;
  readonly namespace: string;
  readonly channel: string | undefined;
  readonly domain: string | undefined;
  readonly modules: readonly KymaModule[];
}

/** Sorts the objects of a setup into phases. */
export function planObjects(parts: {
  readonly setup: readonly AnyObject[];
  readonly access: readonly AnyObject[];
  readonly configuration: readonly AnyObject[];
  readonly templates: readonly AnyObject[];
  readonly kyma: Kyma;
}): DeployPlan {
  const plan = {
    crds: sorted(parts.setup.filter(isCrd)),
    operator: sorted(parts.setup.filter((object) => !isCrd(object))),
    access: sorted(parts.access),
    configuration: sorted(parts.configuration),
    templates: sorted(parts.templates),
    kyma: parts.kyma,
  };
  return { ...plan, kyma: withAppliedDigest(plan) };
}

/** The digest of everything that is applied, on the Kyma: equal for two runs that want the same. */
function withAppliedDigest(plan: DeployPlan): Kyma {
  const applied = `sha256:${createHash("sha256")
    .update(formatYamlDocuments(objectsOf(plan)))
    .digest("hex")}`;
  const { metadata } = plan.kyma;
  return {
    ...plan.kyma,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [appliedAnnotation]: applied } },
  };
}

/** All objects in the order in which they are written. */
export function objectsOf(plan: DeployPlan): readonly AnyObject[] {
  const { crds, operator, access, configuration, templates, kyma } = plan;
  const others = operator.filter((object) => !isNamespace(object));
  const all = [...operator.filter(isNamespace), ...crds, ...others, ...access, ...configuration, ...templates];
  return [...all, kyma as unknown as AnyObject];
}

export function isCrd({ kind }: AnyObject): boolean {
  return kind === "CustomResourceDefinition";
}

export function isNamespace({ kind }: AnyObject): boolean {
  return kind === "Namespace";
}

/** The Kyma of a cluster that is its own runtime. */
export function buildKyma({ name, namespace, channel, domain, modules }: KymaInput): Kyma {
  return {
    apiVersion,
    kind: "Kyma",
    metadata: {
      name,
      namespace,
      labels: { [labels.managedBy]: labelValues.managedByControlPlane },
      annotations: {
        [sourceAnnotation]: "deploy",
        ...(domain === undefined ? {} : { [annotations.skrDomain]: domain }),
      },
    },
    spec: { channel: channel ?? defaultChannel, modules },
  };
}

/** What others refer to comes first; what runs comes last. */
const kindOrder = [
  "Namespace",
  "ServiceAccount",
  "ClusterRole",
  "Role",
  "ClusterRoleBinding",
  "RoleBinding",
  "ConfigMap",
  "Secret",
  "Service",
  "PriorityClass",
  "ModuleTemplate",
  "ModuleReleaseMeta",
];

/** The objects in groups, each of which may be written at once after the former. */
export function wavesOf(objects: readonly AnyObject[]): readonly (readonly AnyObject[])[] {
  const waves = new Map<number, AnyObject[]>();
  for (const object of objects) waves.set(rank(object), [...(waves.get(rank(object)) ?? []), object]);
  return [...waves].sort(([a], [b]) => a - b).map(([, wave]) => wave);
}

function sorted(objects: readonly AnyObject[]): readonly AnyObject[] {
  return objects.toSorted((a, b) => rank(a) - rank(b) || compare(keyOf(a), keyOf(b)));
}

function rank({ kind }: AnyObject): number {
  const at = kindOrder.indexOf(kind);
  return at < 0 ? kindOrder.length : at;
}

function keyOf({ kind, metadata }: AnyObject): string {
  return `${kind}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
