import type { Logger } from "@kyma-operators/runtime";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";

/** Says of restricted modules that nobody can have why that is, each time once. */
export class RestrictedModules {
  readonly #log: Logger;
  /** Problems that were said, by module; what is mended is news when it comes back. */
  #said: ReadonlyMap<string, string> = new Map();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Modules that are named as restricted and have no release: mostly a slip of the pen. */
  reportUnknown(restricted: readonly string[], metas: readonly ModuleReleaseMeta[]): void {
    const released = new Set(metas.map(({ spec }) => spec.moduleName));
    for (const module of restricted)
      if (!released.has(module)) this.#log.error({ module }, "restricted module has no ModuleReleaseMeta");
  }

  /** All modules that catalogs leave out because their selector cannot be used, by name. */
  reportLeftOut(problems: ReadonlyMap<string, string>): void {
    for (const [module, problem] of problems) {
      if (this.#said.get(module) === problem) continue;
      this.#log.warn({ module, problem }, "module is left out of the remote catalogs");
    }
    this.#said = problems;
  }
}
