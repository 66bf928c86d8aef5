import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The folder that holds `crds/`, `config/` and `dist/`: the project, the image's `/app` or the installed package.
 *
 * Found upwards from this file, which lies in another depth when it is bundled.
 */
export function productRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "crds", "kustomization.yaml"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`the product's files are not above ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/**
 * The folder of the built programs: the one that this program itself was built into, so that all of them are of one
 * build, or `dist/` of the product when it runs from its sources.
 */
export function programsFolder(): string {
  const folder = import.meta.dirname;
  const built = [folder, dirname(folder)].find((each) => existsSync(join(each, "kyma.js")));
  return built ?? join(productRoot(), "dist");
}
