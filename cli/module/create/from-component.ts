import { type ComponentDescriptor, type ComponentVersion, pullResource } from "@kyma-operators/ocm";
import { parseYaml } from "@kyma-operators/yaml";
import type { RegistryClient } from "oras-js";
import type { ModuleReleaseMeta } from "../../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../../apis/operator/module-template.ts";
import type { EmbeddedObject } from "../../../apis/operator/object.ts";
import { configOfMetadata, metadataResource } from "./metadata.ts";
import { buildTemplates } from "./template.ts";

const resourceLimitBytes = 1_048_576;

/** Where a component version lies, and how to read it. */
export interface StoredComponent {
  readonly client: Pick<RegistryClient, "pullBlob">;
  readonly found: ComponentVersion;
  readonly signal: AbortSignal;
}

/**
 * The objects that `kyma module create` wrote for a component version, made again from what it put into the component.
 *
 * @param descriptor - what the template shall say, where that differs from what was found.
 */
export async function templatesOfComponent(
  { client, found, signal }: StoredComponent,
  channels: readonly string[],
  descriptor: ComponentDescriptor = found.descriptor,
): Promise<readonly (ModuleTemplate | ModuleReleaseMeta)[]> {
  const read = async (resource: string): Promise<unknown> => {
    if (!descriptor.resources.some(({ name }) => name === resource)) return undefined;
    const bytes = await pullResource(client, found, resource, { limitBytes: resourceLimitBytes, signal });
    return parseYaml(new TextDecoder().decode(bytes), { name: `${descriptor.name}:${descriptor.version} ${resource}` });
  };
  const config = configOfMetadata(await read(metadataResource), descriptor);
  const data = (await read("default-cr")) as EmbeddedObject | undefined;
  const own = config.channel === undefined ? [] : [config.channel];
  return buildTemplates({
    config,
    descriptor,
    ...(data === undefined ? {} : { data }),
    channels: [...new Set([...own, ...channels])],
  });
}
