import { Secret } from "@kyma-operators/errors";
import type { Challenge } from "./challenge.ts";
import { oci } from "./errors.ts";
import type { Repository } from "./reference.ts";

/** What is asked of a token service. */
export interface TokenRequest {
  /** The reference on whose behalf it is asked, for error texts. */
  readonly ref: string;
  readonly repository: Repository;
  readonly challenge: Challenge;
  readonly scopes: readonly string[];
  readonly identityToken: Secret | undefined;
  /** An `Authorization` header with user and password. */
  readonly basic: Secret | undefined;
  readonly signal: AbortSignal;
}

/** One call of a token service; answers the parsed JSON body, or throws. */
export type TokenCall = (call: {
  readonly ref: string;
  readonly registry: Repository;
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}) => Promise<unknown>;

export interface IssuedToken {
  readonly token: Secret;
  readonly lifetimeMs: number;
}

// The lifetime that the token specification prescribes when none is given, and a ceiling against nonsense.
const defaultLifetimeSeconds = 60;
const longestLifetimeSeconds = 3_600;

function realmOf(request: TokenRequest): URL {
  const { ref, repository, challenge } = request;
  const refuse = (reason: string): Error => oci.CHALLENGE_INVALID({ ref, host: repository.host, reason });
  const realm = URL.parse(challenge.parameters["realm"] ?? "");
  if (realm === null) throw refuse("the realm of the Bearer challenge is no URL");
  const allowed = repository.plainHttp ? ["http:", "https:"] : ["https:"];
  if (!allowed.includes(realm.protocol)) throw refuse(`realm scheme ${realm.protocol} is not allowed, expected https`);
  if (realm.username !== "" || realm.password !== "") throw refuse("the realm carries a user or password");
  return realm;
}

function lifetimeOf(value: unknown): number {
  const seconds = typeof value === "number" && Number.isFinite(value) ? value : defaultLifetimeSeconds;
  return Math.min(Math.max(seconds, defaultLifetimeSeconds), longestLifetimeSeconds) * 1_000;
}

function tokenOf(answer: unknown, request: TokenRequest): IssuedToken {
  const fields = (typeof answer === "object" && answer !== null ? answer : {}) as Readonly<Record<string, unknown>>;
  const token = fields["token"] ?? fields["access_token"];
  // A line break would end the header and begin another one.
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    const { ref, repository } = request;
    throw oci.CHALLENGE_INVALID({ ref, host: repository.host, reason: "the token service sent no usable token" });
  }
  return { token: new Secret(token), lifetimeMs: lifetimeOf(fields["expires_in"]) };
}

/**
 * Asks the token service of a Bearer challenge for a token: by GET with user and password or
 * anonymously, by POST when there is a refresh token.
 *
 * @throws OCI_CHALLENGE_INVALID and whatever `call` throws
 */
export async function fetchToken(call: TokenCall, request: TokenRequest): Promise<IssuedToken> {
  const { ref, repository: registry, challenge, scopes, identityToken, basic, signal } = request;
  const url = realmOf(request);
  const service = challenge.parameters["service"];

  if (identityToken !== undefined) {
    const form = new URLSearchParams({ grant_type: "refresh_token", client_id: "oras-js", scope: scopes.join(" ") });
    if (service !== undefined) form.set("service", service);
    form.set("refresh_token", identityToken.reveal());
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = Buffer.from(form.toString());
    return tokenOf(await call({ ref, registry, method: "POST", url, headers, body, signal }), request);
  }

  if (service !== undefined) url.searchParams.set("service", service);
  for (const scope of scopes) url.searchParams.append("scope", scope);
  const headers: Record<string, string> = basic === undefined ? {} : { authorization: basic.reveal() };
  return tokenOf(await call({ ref, registry, method: "GET", url, headers, signal }), request);
}
