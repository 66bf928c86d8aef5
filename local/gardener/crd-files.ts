import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { productRoot } from "../product-files.ts";

function readCrds(...path: readonly string[]): readonly AnyObject[] {
  const folder = join(productRoot(), "local/gardener", ...path);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => parseYaml(readFileSync(join(folder, name), "utf8"), { name }) as AnyObject);
}

/** The kinds of the Gardener API. */
export function gardenCrds(): readonly AnyObject[] {
  return readCrds("crds");
}

/** The kinds that Gardener's extensions install in a Shoot. */
export function shootCrds(): readonly AnyObject[] {
  return readCrds("shoot-crds");
}
