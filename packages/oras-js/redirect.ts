import { oci } from "./errors.ts";
import { isGuardedHost, isLinkLocalHost, isLoopbackHost } from "./network-guard.ts";
import type { Repository } from "./reference.ts";

/** Who redirects: the registry of this repository, which was asked for `ref`. */
export interface Redirecting {
  readonly ref: string;
  readonly repository: Repository;
}

export const redirectLimit = 5;

const statuses = new Set([301, 302, 303, 307, 308]);

export function isRedirect(status: number): boolean {
  return statuses.has(status);
}

export function refuseRedirect({ ref, repository }: Redirecting, reason: string): Error {
  return oci.REDIRECT_REFUSED({ ref, host: repository.host, reason });
}

/**
 * Checks a URL of another origin that a registry names: a redirect, an upload location, a token service.
 *
 * No way leads from https to http, nor from a remote registry to this machine or its link, where other
 * services trust whoever can reach them.
 *
 * @throws OCI_REDIRECT_REFUSED
 */
export function assertForeignUrl(from: Redirecting, url: URL): void {
  const schemes = from.repository.plainHttp ? ["http:", "https:"] : ["https:"];
  if (!schemes.includes(url.protocol)) throw refuseRedirect(from, `it leads to ${url.protocol}//, expected https://`);
  const refused = isLoopbackHost(from.repository.host) ? isLinkLocalHost(url.hostname) : isGuardedHost(url.hostname);
  if (refused) throw refuseRedirect(from, `it leads to ${url.hostname}, an address of this machine or its link`);
}

/** Resolves a `Location` header. Throws OCI_REDIRECT_REFUSED. */
export function resolveLocation(from: Redirecting, base: URL, location: string | undefined): URL {
  const url = location === undefined ? null : URL.parse(location, base.href);
  if (url === null) throw refuseRedirect(from, "its Location is no URL");
  return url;
}
