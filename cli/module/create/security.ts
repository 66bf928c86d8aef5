import type { Label, Resource } from "@kyma-operators/ocm";
import { parseYaml } from "@kyma-operators/yaml";
import { parseReference } from "oras-js";
import { z } from "zod";
import { createErrors } from "./errors.ts";

const text = z.string({ error: "expected a text" }).min(1, "must not be empty");
const images = z.array(text.refine(isTagged, "expected an image with a tag, as host/name:1.2.3"));
const code = z.looseObject({
  language: text.optional(),
  subprojects: z.union([z.boolean(), z.string()]).optional(),
  exclude: z.array(text).optional(),
});

const schema = z.looseObject({
  "module-name": text.optional(),
  protecode: images.optional(),
  bdba: images.optional(),
  whitesource: code.optional(),
  mend: code.optional(),
  "dev-branch": text.optional(),
  "rc-tag": text.optional(),
});

/** What shall be scanned: images, and the sources with labels that say how. */
export interface SecurityScan {
  readonly images: readonly string[];
  readonly sourceLabels: readonly Label[];
}

/** On a component that takes part in scans. */
export const scanLabel: Label = { name: "security.kyma-project.io/scan", value: "enabled", version: "v1" };

/** Reads a scan config, with the names of former and of newer tools. Throws `CREATE_CONFIG_INVALID`. */
export function parseSecurityScan(content: string, file: string): SecurityScan {
  const read = schema.safeParse(parseYaml(content, { name: file, duplicateKeys: "error" }));
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
    throw createErrors.CONFIG_INVALID({ file, problems });
  }
  const { protecode, bdba = protecode ?? [], whitesource, mend = whitesource ?? {} } = read.data;
  const labels = {
    "rc-tag": read.data["rc-tag"],
    language: mend.language,
    "dev-branch": read.data["dev-branch"],
    subprojects: mend.subprojects === undefined ? undefined : String(mend.subprojects),
    exclude: mend.exclude?.join(","),
  };
  return { images: bdba, sourceLabels: Object.entries(labels).flatMap(([name, value]) => label(name, value)) };
}

function label(name: string, value: string | undefined): readonly Label[] {
  return value === undefined ? [] : [{ name: `scan.security.kyma-project.io/${name}`, value, version: "v1" }];
}

/** A colon before the last slash is a port. */
function isTagged(image: string): boolean {
  try {
    return parseReference(image, { defaultHost: "docker.io" }).tag !== undefined;
  } catch {
    return false;
  }
}

/** An image that is scanned, and named by the component for that alone. */
export function imageResource(image: string): Resource {
  const { path, tag = "" } = parseReference(image, { defaultHost: "docker.io" });
  return {
    name: path.slice(path.lastIndexOf("/") + 1),
    version: tag,
    type: "ociArtifact",
    relation: "external",
    extraIdentity: {},
    labels: [{ name: "scan.security.kyma-project.io/type", value: "third-party-image", version: "v1" }],
    access: { type: "ociArtifact", imageReference: image },
    srcRefs: [],
    referenceHints: [],
  };
}
