import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import type { Secret } from "@kyma-operators/errors";

export interface AccessOptions {
  /** The address that is listened on reaches only this machine. */
  readonly loopback: boolean;
  /** Reads the token afresh, so that a rotated one holds at once; absent: nobody is asked. */
  readonly token?: () => Promise<Secret>;
  readonly now: () => number;
}

/** Whether a request may be answered: `foreign` came by a name that is not ours, `unknown` lacks the token. */
export type Verdict = "allowed" | "foreign" | "unknown";

const cookieName = "kyma-dashboard";
const sessionMs = 12 * 60 * 60 * 1000;

/** True for `host:port` that no other machine can reach. */
export function isLoopback(bind: string): boolean {
  const host = bind.slice(0, Math.max(0, bind.lastIndexOf(":")));
  return host === "localhost" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."));
}

/**
 * Decides who may read.
 *
 * On loopback the machine's users are trusted, but not the web pages they have open: a page of another site that has
 * its name point to 127.0.0.1 still sends that name as Host. Elsewhere a token is asked for, as a bearer token or by
 * the sign-in page, whose cookie is signed with the token and ends with it.
 */
export class Access {
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  async verdict({ headers }: IncomingMessage): Promise<Verdict> {
    if (this.#options.loopback && !localNames.test(headers.host ?? "")) return "foreign";
    if (this.#options.token === undefined) return "allowed";
    const token = await this.#options.token();
    const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
    const known = bearer === undefined ? this.#isOurCookie(headers.cookie ?? "", token) : equal(bearer, token.reveal());
    return known ? "allowed" : "unknown";
  }

  /** The cookie for whoever knows the token; undefined for others, and where no token is asked for. */
  async signIn(given: string): Promise<string | undefined> {
    const token = await this.#options.token?.();
    if (token === undefined || !equal(given, token.reveal())) return undefined;
    const ends = String(this.#options.now() + sessionMs);
    const value = `${ends}.${signature(ends, token)}`;
    return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}`;
  }

  #isOurCookie(header: string, token: Secret): boolean {
    const [, ends = "", signed = ""] = cookiePattern.exec(header) ?? [];
    return Number(ends) > this.#options.now() && equal(signed, signature(ends, token));
  }
}

const localNames = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const cookiePattern = new RegExp(`(?:^|; ?)${cookieName}=(\\d{1,16})\\.([\\w-]{43})(?:;|$)`);

function signature(ends: string, token: Secret): string {
  return createHmac("sha256", token.reveal()).update(`${cookieName} until ${ends}`).digest("base64url");
}

/** Compares in a time that tells neither content nor length. */
function equal(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash("sha256").update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}
