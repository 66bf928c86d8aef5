/** Prints the images that an installation needs, read from the overlays of config/; `--from PREFIX` puts a registry in front. */
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, treeOf } from "@kyma-operators/kustomize";

const root = join(import.meta.dirname, "..");
const overlays = ["default", "split", "sharded", "local", "dashboard", "webhook"];
const { values } = parseArgs({ options: { from: { type: "string", default: "" } } });

const paths = globSync("{config,crds}/**/*", { cwd: root }).map((path) => join(root, path));
const tree = treeOf(new Map(paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path)])));
const objects = overlays.flatMap((overlay) => build(tree, join(root, "config", overlay)));
const images = new Set([...JSON.stringify(objects).matchAll(/"image":"([^"]+)"/g)].map(([, image = ""]) => image));
for (const image of [...images].toSorted()) console.log(values.from === "" ? image : `${values.from}/${image}`);
