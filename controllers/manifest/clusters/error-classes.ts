import { isAppError } from "@kyma-operators/errors";

const connectionCodes: ReadonlySet<string> = new Set([
  "KUBE_UNAUTHORIZED",
  "KUBE_FORBIDDEN",
  "MANIFEST_APPLY_UNAUTHORIZED",
  "MANIFEST_CERTIFICATE_EXPIRED",
]);
const connectionCauses: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED",
]);
const notFoundCodes: ReadonlySet<string> = new Set(["KUBE_NOT_FOUND", "KUBE_NO_MATCH"]);

/**
 * True for errors that say that our access to a cluster does not work: refused, unknown host, 401, 403 or an expired
 * client certificate. The client of that cluster is dropped, so that new credentials are picked up.
 *
 * Time-outs and resets are not among them: they pass. Texts of components that carry no code are read as upstream
 * reads them.
 */
export function isConnectionRelated(error: unknown): boolean {
  return chainOf(error).some((link) => {
    const code = codeOf(link);
    return connectionCodes.has(code) || connectionCauses.has(code) || endsLikeAuthFailure(fullText(link));
  });
}

/** True when the object, its kind or its API is not there; for a deletion that is success. */
export function isNotFound(error: unknown): boolean {
  return chainOf(error).some((link) => {
    const text = link instanceof Error ? link.message : "";
    return (
      notFoundCodes.has(codeOf(link)) ||
      text.includes("failed to get restmapping") ||
      text.includes("could not find the requested resource")
    );
  });
}

/** Message of the error that this one wraps directly, or an empty text. */
export function nestedMessage(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
}

/** True when the credentials were refused or are expired; counted and logged apart. */
export function isUnauthorized(error: unknown): boolean {
  return chainOf(error).some((link) =>
    ["KUBE_UNAUTHORIZED", "MANIFEST_APPLY_UNAUTHORIZED", "MANIFEST_CERTIFICATE_EXPIRED"].includes(codeOf(link)),
  );
}

function chainOf(error: unknown): readonly unknown[] {
  const links: unknown[] = [];
  for (
    let link = error;
    link !== undefined && links.length < 10;
    link = link instanceof Error ? link.cause : undefined
  ) {
    links.push(link);
  }
  return links;
}

function codeOf(link: unknown): string {
  if (isAppError(link)) return link.code;
  return link instanceof Error && "code" in link ? String(link.code) : "";
}

function fullText(link: unknown): string {
  if (!(link instanceof Error)) return "";
  return link.cause instanceof Error && !link.message.includes(link.cause.message)
    ? `${link.message}: ${link.cause.message}`
    : link.message;
}

function endsLikeAuthFailure(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.endsWith(": Unauthorized") || trimmed.endsWith("expired certificate");
}
