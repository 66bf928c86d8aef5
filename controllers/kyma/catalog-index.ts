import { createHash } from "node:crypto";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";
import { type CatalogView, catalogView } from "../../modules/catalog-view.ts";
import { audienceOf, type RemoteCatalog, remoteCatalog } from "../../modules/remote-catalog.ts";

/** A remote catalog with the digest of what it shows. */
export interface DigestedCatalog extends RemoteCatalog {
  readonly digest: string;
}

interface Sources {
  readonly metas: () => readonly ModuleReleaseMeta[];
  readonly templates: () => readonly ModuleTemplate[];
  /** Told of modules that a catalog leaves out, with the reason. */
  readonly leftOut?: (problems: ReadonlyMap<string, string>) => void;
}

/**
 * The module catalog of one namespace, prepared once per change instead of once per pass: thousands of Kymas share a
 * handful of catalogs.
 */
export class CatalogIndex {
  readonly #namespace: string;
  readonly #lists: Sources;
  readonly #settings: { readonly restrictedModules: readonly string[]; readonly syncNamespace: string };
  #view: CatalogView | undefined;
  readonly #remote = new Map<string, DigestedCatalog>();

  constructor(
    namespace: string,
    lists: Sources,
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
    const input = { kyma, metas: this.#lists.metas(), templates: this.#lists.templates(), ...this.#settings };
    const key = audienceOf(input);
    const known = this.#remote.get(key);
    if (known !== undefined) return known;
    const catalog = remoteCatalog(input);
    this.#lists.leftOut?.(catalog.problems);
    const digest = createHash("sha256")
      .update(JSON.stringify([catalog.templates, catalog.metas]))
      .digest("hex");
    const digested = { ...catalog, digest };
    this.#remote.set(key, digested);
    return digested;
  }
}
