import { createHash } from "node:crypto";
import { isBeta, isInternal, type Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import { type CatalogView, catalogView } from "../../modules/catalog-view.ts";
import { type RemoteCatalog, remoteCatalog } from "../../modules/remote-catalog.ts";

/** A remote catalog with the digest of what it shows. */
export interface DigestedCatalog extends RemoteCatalog {
  readonly digest: string;
}

interface Lists {
  readonly metas: () => readonly ModuleReleaseMeta[];
  readonly templates: () => readonly ModuleTemplate[];
}

/**
 * The module catalog of one namespace, prepared once per change instead of once per pass: thousands of Kymas share a
 * handful of catalogs.
 */
export class CatalogIndex {
  readonly #namespace: string;
  readonly #lists: Lists;
  readonly #settings: { readonly restrictedModules: readonly string[]; readonly syncNamespace: string };
  #view: CatalogView | undefined;
  readonly #remote = new Map<string, DigestedCatalog>();

  constructor(
    namespace: string,
    lists: Lists,
    settings: { readonly restrictedModules: readonly string[]; readonly syncNamespace: string },
  ) {
    this.#namespace = namespace;
    this.#lists = lists;
    this.#settings = settings;
  }

  /** To be called when any ModuleTemplate or ModuleReleaseMeta has changed. */
  invalidate(): void {
    this.#view = undefined;
    this.#remote.clear();
  }

  view(): CatalogView {
    this.#view ??= catalogView(this.#namespace, this.#lists.metas(), this.#lists.templates());
    return this.#view;
  }

  /** What the remote cluster of a Kyma shows. Kymas that may see the same share one result. */
  remoteOf(kyma: Kyma): DigestedCatalog {
    const key = this.#audienceOf(kyma);
    const known = this.#remote.get(key);
    if (known !== undefined) return known;
    const catalog = remoteCatalog({
      kyma,
      metas: this.#lists.metas(),
      templates: this.#lists.templates(),
      ...this.#settings,
    });
    const digest = createHash("sha256")
      .update(JSON.stringify([catalog.templates, catalog.metas]))
      .digest("hex");
    const digested = { ...catalog, digest };
    // Selectors can make one audience per Kyma; such results are not worth keeping.
    if (this.#remote.size < 1000) this.#remote.set(key, digested);
    return digested;
  }

  /** What of a Kyma decides about its catalog: two flags, and its labels where a restricted module selects by them. */
  #audienceOf(kyma: Kyma): string {
    const flags = `${isBeta(kyma)}/${isInternal(kyma)}`;
    return this.#settings.restrictedModules.length === 0 ? flags : flags + JSON.stringify(kyma.metadata.labels ?? {});
  }
}
