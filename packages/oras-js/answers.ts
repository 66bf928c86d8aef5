import { redact, textOf } from "@kyma-operators/errors";
import { collect } from "./body.ts";
import { type CredentialUse, oci } from "./errors.ts";
import { parseHttpDate } from "./system-http.ts";
import type { HttpResponse } from "./transport.ts";

/** Who was asked, on whose behalf and as whom: what every error text names. */
export interface Asked {
  readonly ref: string;
  readonly host: string;
  readonly use: CredentialUse;
}

const transient = new Set([408, 429, 500, 502, 503, 504]);

/** True for statuses that may go away by themselves. */
export function isTransient(status: number): boolean {
  return transient.has(status);
}

/** `Retry-After` as milliseconds from now; seconds and dates are both allowed. Nonsense counts as absent. */
export function retryAfterMs(headers: HttpResponse["headers"], nowMs: number): number {
  const header = headers["retry-after"];
  if (header === undefined) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  return Math.max(0, (parseHttpDate(header) ?? nowMs) - nowMs);
}

/** What a network or TLS error means to the person who must act. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/i, "; add the registry's CA certificate"],
  [/wrong version number|EPROTO|packet length/i, "; the host seems to speak plain HTTP, write http:// before it"],
  [/ENOTFOUND|EAI_AGAIN/, "; check the host name"],
  [/ECONNREFUSED/, "; check host and port"],
];

/** OpenSSL's errors carry a thread id, a code and places in its sources around the one phrase that says something. */
function withoutOpenSsl(text: string): string {
  return text.replace(/[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):\S*/gi, "$1");
}

/** OCI_UNREACHABLE for an error of the network, with what to do where we know it. */
export function unreachable(error: unknown, { ref, host }: Pick<Asked, "ref" | "host">): Error {
  const code = (error as { code?: unknown } | null)?.code;
  const text = withoutOpenSsl(textOf(error)).replace(/\s+/g, " ").trim().slice(0, 300);
  const full = typeof code === "string" && !text.includes(code) ? `${text} (${code})` : text;
  const hint = hints.find(([pattern]) => pattern.test(full))?.[1] ?? "";
  return oci.UNREACHABLE({ ref, host, reason: redact(full) + hint });
}

/** The error for an answer that was not expected. Reads or drops its body. */
export async function errorFor(response: HttpResponse, asked: Asked, nowMs: number): Promise<Error> {
  const { status, headers } = response;
  const known = knownError(status, asked, retryAfterMs(headers, nowMs));
  if (known === undefined) return oci.REFUSED({ ...asked, status, reason: await refusalReason(response) });
  await response.discard();
  return known;
}

function knownError(status: number, asked: Asked, waitMs: number): Error | undefined {
  if (status === 404) return oci.NOT_FOUND(asked);
  if (status === 401) return oci.UNAUTHORIZED(asked);
  if (status === 403) return oci.FORBIDDEN(asked);
  if (status === 429) return oci.THROTTLED({ ...asked, retryAfterMs: waitMs });
  return status >= 500 || status === 408 ? oci.UNAVAILABLE({ ...asked, status }) : undefined;
}

/** The error list of the distribution specification in one line; of anything else only its first words. */
async function refusalReason(response: HttpResponse): Promise<string> {
  const bytes = await collect(response.body, { ref: "error body", limitBytes: 65_536 }).catch(() => new Uint8Array());
  const text = new TextDecoder().decode(bytes);
  try {
    const { errors } = JSON.parse(text) as { errors: readonly { code?: unknown; message?: unknown }[] };
    const lines = errors.map(({ code, message }) =>
      [code, message].filter((part) => typeof part === "string").join(" "),
    );
    return redact(lines.join("; ")).slice(0, 300);
  } catch {
    return redact(text.replace(/\s+/g, " ").trim()).slice(0, 100) || "no reason given";
  }
}
