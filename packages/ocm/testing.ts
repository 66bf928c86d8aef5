import { parseDescriptor } from "./read.ts";
import type { ComponentDescriptor } from "./types.ts";

/** The worked example of our OCM specification: a component with a raw manifest, with all bytes and digests on record. */
export const example = {
  name: "example.org/module/demo",
  version: "1.4.2+rc.1",
  creator: "kyma-ts 0.1.0",
  rawManifest:
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: demo\n  namespace: kyma-system\ndata:\n  hello: world\n",
  digests: {
    rawManifest: "sha256:e9fb473db7440d02fdba587bec60874a2f9402a9811d4bdda9969ecd0a85e213",
    descriptor: "sha256:3d71318470124a2eebc495f52c31f18bc110201fca5d96dba2b3538ca9c62722",
    tar: "sha256:f67ffcba273a15f687bd7b7206bcc998e49330e3a9be6714b9c84ba9234b9119",
    config: "sha256:200e232b0a5c440e124a05d65332c9c353f76b0789dc5bd19939b47cff7d9bc6",
    manifest: "sha256:588ef97b27e20141f6b44f6b0b7676001b5e4ddcb0cda9b37e01d10f02b9e683",
    v1: "64b58309359440916b0289b3f936c96971a969f8e2616a4841b81cc13f875758",
    v2: "0574ec8f07e749ee7fa8387d9a291d0244a673e2f3f67ce616cd1438d465eafb",
  },
} as const;

/** Its descriptor, as an object of schema v2. */
export const exampleDocument = {
  meta: { schemaVersion: "v2" },
  component: {
    name: example.name,
    version: example.version,
    provider: '{"name":"example.org","labels":[{"name":"example.org/built-by","value":"kyma-ts","version":"v1"}]}',
    labels: [{ name: "security.example.org/scan", value: "enabled", version: "v1", signing: true }],
    repositoryContexts: [
      { type: "OCIRegistry", baseUrl: "reg.local:5001", componentNameMapping: "urlPath", subPath: "modules" },
    ],
    resources: [
      {
        name: "raw-manifest",
        type: "yaml",
        version: example.version,
        relation: "local",
        access: {
          type: "localBlob",
          localReference: example.digests.rawManifest,
          mediaType: "application/octet-stream",
        },
        digest: {
          hashAlgorithm: "SHA-256",
          normalisationAlgorithm: "genericBlobDigest/v1",
          value: example.digests.rawManifest.slice("sha256:".length),
        },
      },
      {
        name: "demo-manager",
        type: "ociImage",
        version: "1.4.2",
        relation: "external",
        labels: [{ name: "scan.security.example.org/type", value: "third-party-image", version: "v1" }],
        access: { type: "ociArtifact", imageReference: "reg.local:5001/images/demo-manager:1.4.2" },
        digest: {
          hashAlgorithm: "SHA-256",
          normalisationAlgorithm: "ociArtifactDigest/v1",
          value: `6a1c${"0".repeat(60)}`,
        },
      },
    ],
    sources: [
      {
        name: "module-sources",
        type: "Github",
        version: example.version,
        access: {
          type: "gitHub",
          repoUrl: "https://example.org/demo.git",
          commit: "7935a702bf6b8173ada39564f8b874bb66b17ce0",
        },
      },
    ],
    componentReferences: [],
  },
} as const;

/** A changed copy: the component's fields that are given replace those of the example. */
export function exampleWith(component: Readonly<Record<string, unknown>> = {}): ComponentDescriptor {
  return parseDescriptor({ ...exampleDocument, component: { ...exampleDocument.component, ...component } });
}
