import { join } from "node:path";
import { isComponentName, parseDescriptor } from "@kyma-operators/ocm";
import type { ComponentVersion, Descriptor } from "../../modules/descriptor.ts";
import type { Files } from "../io.ts";

/** The descriptor `<folder>/<component>/<version>.yaml`. Throws where there is none, or none that can be read. */
export async function readDescriptorFile(
  files: Pick<Files, "readText">,
  folder: string,
  { component, version }: ComponentVersion,
): Promise<Descriptor> {
  // Both come from a file of the user's and become a path.
  if (!isComponentName(component) || !/^[0-9A-Za-z.+-]+$/.test(version)) {
    throw new Error(`${component}:${version} is no name of a component version`);
  }
  return parseDescriptor(await files.readText(join(folder, component, `${version}.yaml`)));
}
