import { type ComponentVersion, componentId, type Resource } from "@kyma-operators/ocm";
import { formatTable } from "../table.ts";

function digestOf({ digest }: Resource): string {
  return digest === undefined
    ? ""
    : `${digest.hashAlgorithm.toLowerCase().replace("-", "")}:${digest.value.slice(0, 12)}`;
}

/** A component version for people: who, what, and how it is protected. */
export function describeComponent({ descriptor, manifestDigest }: ComponentVersion): string {
  const rows = descriptor.resources.map((resource) => [
    resource.name,
    resource.type,
    resource.version,
    resource.access.type,
    digestOf(resource),
  ]);
  const signatures = descriptor.signatures.map(({ name, signature }) => `${name} (${signature.algorithm})`);
  const head = [
    `Component:  ${componentId(descriptor)}`,
    `Provider:   ${descriptor.provider.name}`,
    `Manifest:   ${manifestDigest}`,
    `Signatures: ${signatures.join(", ") || "none"}`,
  ];
  return `${head.join("\n")}\n\n${formatTable(["RESOURCE", "TYPE", "VERSION", "ACCESS", "DIGEST"], rows)}`;
}
