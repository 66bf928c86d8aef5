import { appendFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";

/** All objects in the YAML files below a folder, in the order of their paths; kustomizations are left out. */
export async function readObjects(folder: string): Promise<readonly AnyObject[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith(".yaml") && !name.endsWith("kustomization.yaml")).sort();
  const documents = await Promise.all(
    files.map(async (name) => parseYamlDocuments(await readFile(join(folder, name), "utf8"), { name })),
  );
  return documents.flat() as AnyObject[];
}

/** Appends one JSON line. Synchronous, so that lines of one process never mix and none is lost at its end. */
export function appendLine(path: string, value: unknown): void {
  appendFileSync(path, `${JSON.stringify(value)}\n`, { mode: 0o600 });
}
