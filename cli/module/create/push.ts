import { hasCode } from "@kyma-operators/errors";
import {
  type ComponentDescriptor,
  type ComponentRepository,
  componentId,
  getComponentVersion,
  pushComponentVersion,
} from "@kyma-operators/ocm";
import type { RegistryClient } from "oras-js";
import { version } from "../../product.ts";
import { isEquivalent, type ModuleComponent } from "./component.ts";
import { createErrors } from "./errors.ts";

export interface Push {
  readonly client: RegistryClient;
  readonly repository: ComponentRepository;
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
}

/** What lies in the registry now, and whether it was written by this push. */
export interface Pushed {
  readonly descriptor: ComponentDescriptor;
  readonly written: boolean;
}

/**
 * Pushes a component version unless the registry holds an equivalent one, which is used then. `overwrite` pushes in
 * any case. Throws `CREATE_VERSION_EXISTS` for other content under the same version.
 */
export async function pushModule(component: ModuleComponent, push: Push): Promise<Pushed> {
  const { client, repository, overwrite, signal } = push;
  const { descriptor } = component;
  const present = overwrite ? undefined : await find(push, descriptor);
  if (present !== undefined) {
    if (isEquivalent(present, descriptor)) return { descriptor: present, written: false };
    throw createErrors.VERSION_EXISTS({ component: componentId(descriptor), registry: repository.baseUrl });
  }
  await pushComponentVersion(client, repository, component, { creator: `kyma-cli ${version}`, signal });
  return { descriptor, written: true };
}

/** What is said about a component after {@link pushModule}. */
export function pushedText(component: string, written: boolean): string {
  return `${component}: ${written ? "pushed" : "is in the registry already, used as it is"}\n`;
}

async function find(
  { client, repository, signal }: Push,
  { name, version: wanted }: ComponentDescriptor,
): Promise<ComponentDescriptor | undefined> {
  try {
    return (await getComponentVersion(client, repository, { name, version: wanted }, { signal })).descriptor;
  } catch (error) {
    if (hasCode(error, "OCI_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** What to do with the objects that offer a version. */
export function templateText(file: string): string {
  return `${file}: written\nnext: "kubectl apply -f ${file}" on the control plane offers the module to its runtimes\n`;
}
