import type { Access, JsonValue } from "./types.ts";

/** An access, read as far as we can fetch it. */
export type KnownAccess =
  /** A layer of the component's own manifest; several digests stand for their concatenation. */
  | {
      readonly kind: "localBlob";
      readonly digests: readonly string[];
      readonly mediaType: string;
      readonly referenceName?: string;
    }
  /** An image, index or chart of its own. */
  | { readonly kind: "ociArtifact"; readonly imageReference: string }
  /** A blob of any repository. */
  | {
      readonly kind: "ociBlob";
      readonly repository: string;
      readonly digest: string;
      readonly mediaType: string;
      readonly size?: number;
    }
  /** A chart of a classic chart repository. */
  | { readonly kind: "helm"; readonly repository: string; readonly chart: string; readonly version?: string }
  | { readonly kind: "none" }
  /** Valid, but nothing we fetch; an error only when the resource is needed. */
  | { readonly kind: "other"; readonly type: string };

type Kind = KnownAccess["kind"] | "localOciBlob";

const kinds: Readonly<Record<string, Kind>> = {
  localBlob: "localBlob",
  LocalBlob: "localBlob",
  localOciBlob: "localOciBlob",
  LocalOciBlob: "localOciBlob",
  ociArtifact: "ociArtifact",
  OCIImage: "ociArtifact",
  ociImage: "ociArtifact",
  ociRegistry: "ociArtifact",
  ociBlob: "ociBlob",
  OCIBlob: "ociBlob",
  helm: "helm",
  Helm: "helm",
  none: "none",
  None: "none",
};

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function local(reference: string, access: Access): KnownAccess {
  const referenceName = text(access["referenceName"]);
  return {
    kind: "localBlob",
    digests: reference
      .split(",")
      .map((digest) => digest.trim())
      .filter((digest) => digest !== ""),
    mediaType: text(access["mediaType"]),
    ...(referenceName === "" ? {} : { referenceName }),
  };
}

/** `name:version` of a chart; a separate `version` field wins. */
function helm(access: Access): KnownAccess {
  const [chart = "", inline = ""] = text(access["helmChart"]).split(":");
  const version = text(access["version"]) || inline;
  return { kind: "helm", repository: text(access["helmRepository"]), chart, ...(version === "" ? {} : { version }) };
}

function ociBlob(access: Access): KnownAccess {
  const { size } = access;
  return {
    kind: "ociBlob",
    repository: text(access["ref"]),
    digest: text(access["digest"]),
    mediaType: text(access["mediaType"]),
    ...(typeof size === "number" ? { size } : {}),
  };
}

const readers: Readonly<Record<Kind, (access: Access) => KnownAccess>> = {
  localBlob: (access) => local(text(access["localReference"]), access),
  localOciBlob: (access) => local(text(access["digest"]), access),
  ociArtifact: (access) => ({ kind: "ociArtifact", imageReference: text(access["imageReference"]) }),
  ociBlob,
  helm,
  none: () => ({ kind: "none" }),
  other: ({ type }) => ({ kind: "other", type }),
};

/** Reads an access of any type and spelling; `/v1` after the type changes nothing. */
export function parseAccess(access: Access): KnownAccess {
  const name = access.type.replace(/\/v1$/, "");
  return readers[Object.hasOwn(kinds, name) ? (kinds[name] ?? "other") : "other"](access);
}
