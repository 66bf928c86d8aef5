/** What a path of the distribution specification names. */
export type Route =
  | { readonly kind: "base" }
  | { readonly kind: "catalog" }
  | { readonly kind: "manifest"; readonly repository: string; readonly reference: string }
  | { readonly kind: "blob"; readonly repository: string; readonly digest: string }
  | { readonly kind: "uploads"; readonly repository: string }
  | { readonly kind: "upload"; readonly repository: string; readonly id: string }
  | { readonly kind: "tags"; readonly repository: string }
  | { readonly kind: "referrers"; readonly repository: string; readonly digest: string };

const name = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const repositoryShape = new RegExp(`^${name}(?:/${name})*$`);
const digestShape = /^(?:sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128})$/;
const tagShape = /^\w[\w.-]{0,127}$/;

const shapes: readonly (readonly [RegExp, (repository: string, last: string) => Route | undefined])[] = [
  [
    /^(.+)\/manifests\/([^/]+)$/,
    (repository, reference) => (isReference(reference) ? { kind: "manifest", repository, reference } : undefined),
  ],
  [/^(.+)\/blobs\/uploads\/?()$/, (repository) => ({ kind: "uploads", repository })],
  [/^(.+)\/blobs\/uploads\/([0-9a-f-]{36})$/, (repository, id) => ({ kind: "upload", repository, id })],
  [/^(.+)\/blobs\/([^/]+)$/, (repository, digest) => ({ kind: "blob", repository, digest })],
  [/^(.+)\/tags\/list()$/, (repository) => ({ kind: "tags", repository })],
  [/^(.+)\/referrers\/([^/]+)$/, (repository, digest) => ({ kind: "referrers", repository, digest })],
];

function isReference(text: string): boolean {
  return tagShape.test(text) || text.includes(":");
}

/** True for a digest whose algorithm the registry can check. */
export function isDigest(text: string): boolean {
  return digestShape.test(text);
}

/** True for a valid repository name of at most 255 characters. */
export function isRepository(text: string): boolean {
  return text.length <= 255 && repositoryShape.test(text);
}

function parseInRepository(path: string): Route | undefined {
  for (const [shape, build] of shapes) {
    const [, repository = "", last = ""] = shape.exec(path) ?? [];
    if (repository !== "") return isRepository(repository) ? build(repository, last) : undefined;
  }
  return undefined;
}

/** Reads a request path; undefined for anything that is no path of the API. */
export function parseRoute(path: string): Route | undefined {
  if (path === "/v2/" || path === "/v2") return { kind: "base" };
  if (path === "/v2/_catalog") return { kind: "catalog" };
  return path.startsWith("/v2/") && path.length <= 1_000 ? parseInRepository(path.slice("/v2/".length)) : undefined;
}
