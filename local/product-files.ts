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
