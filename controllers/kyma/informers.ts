import { type AnyObject, builtIn, type KubeObject } from "@kyma-operators/kube";
import type { Informer, ManagerContext, Store } from "@kyma-operators/runtime";
import { kymas, manifests, moduleReleaseMetas, moduleTemplates } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { labels } from "../../apis/operator/labels.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import { withSpec } from "../../modules/with-spec.ts";
import type { KymaSettings } from "./options.ts";
import { byKyma, type Secret } from "./remote/access-secrets.ts";
import { remoteCrdNames } from "./remote/crds.ts";
import { byModule, modulesOf } from "./users.ts";

const { customResourceDefinitions, secrets } = builtIn;

/** Everything of the control plane that the Kyma controller watches. */
export interface Informers {
  readonly kymas: Informer<Kyma>;
  readonly manifests: Informer<Manifest>;
  readonly templates: Informer<ModuleTemplate>;
  readonly metas: Informer<ModuleReleaseMeta>;
  /** All Secrets of the namespace: a Secret that lacks a label must not become invisible. */
  readonly secrets: Informer<Secret>;
  /** The CRDs that remote clusters get, by name. */
  readonly crds: ReadonlyMap<string, Informer<AnyObject>>;
}

/** Index of Manifests by the name of their Kyma. */
const byOwningKyma = "owning-kyma";

/** Name of the Kyma that an object is labelled with, as an index wants it. */
export function kymaNamesOf({ metadata }: KubeObject): readonly string[] {
  const name = metadata.labels?.[labels.kymaName];
  return name === undefined ? [] : [name];
}

export function informersOf(manager: ManagerContext, { namespace }: KymaSettings): Informers {
  const crd = (name: string) => manager.informer(customResourceDefinitions, { fieldSelector: `metadata.name=${name}` });
  return {
    kymas: manager.informer<Kyma>(kymas, { namespace, indexes: { [byModule]: modulesOf }, transform: withSpec }),
    manifests: manager.informer<Manifest>(manifests, {
      namespace,
      indexes: { [byOwningKyma]: kymaNamesOf },
      transform: withSpec,
    }),
    templates: manager.informer<ModuleTemplate>(moduleTemplates, { namespace, transform: withSpec }),
    metas: manager.informer<ModuleReleaseMeta>(moduleReleaseMetas, { namespace, transform: withSpec }),
    secrets: manager.informer<Secret>(secrets, { namespace, indexes: { [byKyma]: kymaNamesOf } }),
    crds: new Map(remoteCrdNames.map((name) => [name, crd(name)])),
  };
}

/** The Manifests of a Kyma. */
export function manifestsOf(store: Store<Manifest>, { metadata }: Kyma): readonly Manifest[] {
  return store
    .byIndex(byOwningKyma, metadata.name ?? "")
    .filter((manifest) => manifest.metadata.namespace === metadata.namespace);
}
