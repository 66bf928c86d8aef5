import type { ComponentDescriptor } from "@kyma-operators/ocm";
import { formatYaml } from "@kyma-operators/yaml";
import { annotations } from "../../../apis/operator/annotations.ts";
import { isUrl } from "../../system-download.ts";
import { type ModuleConfig, parsedConfig } from "./config.ts";
import type { DefaultCr } from "./default-cr.ts";

/** Resource of a component that holds what its template says beside the layers. */
export const metadataResource = "metadata";

/** The config as templates show it, with what only its sources tell. */
export function completeConfig(config: ModuleConfig, defaultCr: DefaultCr | undefined): ModuleConfig {
  const scope = defaultCr === undefined ? {} : { [annotations.isClusterScoped]: String(defaultCr.clusterScoped) };
  return { ...config, resources: linkedResources(config), annotations: { ...config.annotations, ...scope } };
}

/** A manifest behind a URL is offered for download, unless the config links one itself. */
function linkedResources({ resources, source }: ModuleConfig): ModuleConfig["resources"] {
  const linksManifest = resources.some(({ name }) => name === "rawManifest" || name === "raw-manifest");
  if (source.kind !== "manifest" || !isUrl(source.place) || linksManifest) return resources;
  return [{ name: "rawManifest", link: source.place }, ...resources];
}

/** What a template can be made of again, wherever the files of the config are. Equal configs give equal bytes. */
export function metadataOf({ source: _source, security: _security, ...config }: ModuleConfig): Uint8Array {
  return Buffer.from(formatYaml(config));
}

/** The config behind a component; without {@link metadataOf} only what the descriptor tells. */
export function configOfMetadata(metadata: unknown, { name, version }: ComponentDescriptor): ModuleConfig {
  const found = typeof metadata === "object" && metadata !== null ? metadata : {};
  return parsedConfig({ ...found, name, version, manifest: "raw-manifest" }, `${name}:${version}`);
}
