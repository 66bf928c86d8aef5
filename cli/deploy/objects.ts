import type { AnyObject } from "@kyma-operators/kube";
import { annotations } from "../../apis/operator/annotations.ts";
import { apiVersion } from "../../apis/operator/group.ts";
import { defaultChannel, type Kyma, type KymaModule } from "../../apis/operator/kyma.ts";
import { labels, labelValues } from "../../apis/operator/labels.ts";

/** Everything a deployment consists of, phase by phase; the same with and without a cluster. */
export interface DeployPlan {
  readonly crds: readonly AnyObject[];
  readonly operator: readonly AnyObject[];
  readonly access: readonly AnyObject[];
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
  readonly templates: readonly AnyObject[];
  readonly kyma: Kyma;
}): DeployPlan {
  const isCrd = ({ kind }: AnyObject): boolean => kind === "CustomResourceDefinition";
  return {
    crds: sorted(parts.setup.filter(isCrd)),
    operator: sorted(parts.setup.filter((object) => !isCrd(object))),
    access: sorted(parts.access),
    templates: sorted(parts.templates),
    kyma: parts.kyma,
  };
}

/** All objects in the order in which they are written. */
export function objectsOf({ crds, operator, access, templates, kyma }: DeployPlan): readonly AnyObject[] {
  const isNamespace = ({ kind }: AnyObject): boolean => kind === "Namespace";
  const others = operator.filter((object) => !isNamespace(object));
  return [...operator.filter(isNamespace), ...crds, ...others, ...access, ...templates, kyma as unknown as AnyObject];
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
        "cli.kyma-project.io/source": "deploy",
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
  "ModuleTemplate",
  "ModuleReleaseMeta",
];

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
