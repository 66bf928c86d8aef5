/** Prints the images that an installation needs, read from the overlays of config/; `--from PREFIX` puts a registry in front. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "@kyma-operators/kustomize";
import { diskTree } from "../cli/kustomize-files.ts";

const root = join(import.meta.dirname, "..");
const overlays = ["default", "split", "sharded", "local", "dashboard", "webhook"];
const { values } = parseArgs({ options: { from: { type: "string", default: "" } } });

const objects = overlays.flatMap((overlay) => build(diskTree(), join(root, "config", overlay)));
const images = new Set([...JSON.stringify(objects).matchAll(/"image":"([^"]+)"/g)].map(([, image = ""]) => image));
for (const image of [...images].toSorted()) console.log(values.from === "" ? image : `${values.from}/${image}`);
