import type { Storage } from "./storage.ts";

/** One request, taken out of its HTTP server. */
export interface RegistryRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** What every handler needs. */
export interface RegistryContext {
  readonly storage: Storage;
  readonly limits: RegistryLimits;
}

export interface RegistryLimits {
  readonly manifestBytes: number;
  readonly blobBytes: number;
}

/** Keys of the storage. A path segment of a repository never begins with `_`, so they cannot collide. */
export const keys = {
  blob: (digest: string): string => `blobs/${digest.replace(":", "/")}`,
  /** Exists when a repository has a blob. */
  blobLink: (repository: string, digest: string): string =>
    `repositories/${repository}/_blobs/${digest.replace(":", "/")}`,
  manifests: (repository: string): string => `repositories/${repository}/_manifests/`,
  /** Exists when a repository has a manifest; holds its media type. */
  manifestLink: (repository: string, digest: string): string =>
    `repositories/${repository}/_manifests/${digest.replace(":", "/")}`,
  tags: (repository: string): string => `repositories/${repository}/_tags/`,
  /** Holds a digest. */
  tag: (repository: string, tag: string): string => `repositories/${repository}/_tags/${tag}`,
  referrers: (repository: string, subject: string): string =>
    `repositories/${repository}/_referrers/${subject.replace(":", "/")}/`,
  /** Holds the descriptor of a manifest with this subject. */
  referrer: (repository: string, subject: string, digest: string): string =>
    `repositories/${repository}/_referrers/${subject.replace(":", "/")}/${digest.replace(":", "-")}`,
  upload: (repository: string, id: string): string => `repositories/${repository}/_uploads/${id}`,
} as const;

/** The bytes of a page of a sorted list, and where the next page begins. */
export function pageOf<T extends string>(
  all: readonly T[],
  query: URLSearchParams,
): { page: readonly T[]; last: T | undefined } {
  const after = query.get("last");
  const rest = after === null ? all : all.filter((entry) => entry > after);
  const size = query.get("n");
  if (size === null || !/^\d{1,6}$/.test(size)) return { page: rest, last: undefined };
  const page = rest.slice(0, Number(size));
  return { page, last: page.length < rest.length ? page.at(-1) : undefined };
}
