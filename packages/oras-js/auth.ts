import { Secret } from "@kyma-operators/errors";
import { LRUCache } from "lru-cache";
import { type Challenge, parseChallenges } from "./challenge.ts";
import type { Credential, CredentialSource } from "./credentials.ts";
import { type CredentialUse, oci } from "./errors.ts";
import { formatRepository, type Repository } from "./reference.ts";
import { SingleFlight } from "./single-flight.ts";
import { fetchToken, type TokenCall } from "./token.ts";
import type { Clock } from "./transport.ts";

/** What a request does in a repository. */
export type Action = "pull" | "push" | "delete";

/** Whom a header is for: the repository, what is done there, and other repositories read on the way. */
export interface AuthTarget {
  readonly repository: Repository;
  readonly actions: readonly Action[];
  /** The source of a mount: pull is asked for it as well. */
  readonly mountFrom?: string;
  /** The reference, for error texts. */
  readonly ref: string;
}

interface Token {
  readonly header: Secret;
  readonly use: CredentialUse;
  /** Not used from this time on. */
  readonly expiresAtMs: number;
}

/** An `Authorization` header and what stands behind it. */
export interface Authorization {
  readonly header: Secret | undefined;
  readonly use: CredentialUse;
}

export interface AuthorizerDependencies {
  readonly credentials: CredentialSource;
  readonly clock: Clock;
  /** Sends a request to a token service; retries and limits are its business. */
  readonly call: TokenCall;
}

const none: Authorization = { header: undefined, use: "no credentials" };

function basicHeader({ username, password }: Credential): Secret | undefined {
  if (username === undefined || password === undefined) return undefined;
  return new Secret(`Basic ${Buffer.from(`${username}:${password.reveal()}`).toString("base64")}`);
}

function bearer(token: Secret): Secret {
  return new Secret(`Bearer ${token.reveal()}`);
}

/** The scopes of the distribution token specification, sorted, so that equal needs share one token. */
export function scopesFor({ repository, actions, mountFrom }: AuthTarget): readonly string[] {
  const own = `repository:${repository.path}:${[...actions].toSorted().join(",")}`;
  return mountFrom === undefined ? [own] : [own, `repository:${mountFrom}:pull`].toSorted();
}

/**
 * Answers the challenges of registries, and remembers the answers.
 *
 * Tokens live in memory only, bounded, until shortly before they expire. A header is given only for
 * the host that asked for it.
 */
export class Authorizer {
  readonly #deps: AuthorizerDependencies;
  readonly #challenges = new LRUCache<string, Challenge>({ max: 1_000 });
  readonly #tokens = new LRUCache<string, Token>({ max: 2_000 });
  readonly #flights = new SingleFlight<string, Token>();

  constructor(deps: AuthorizerDependencies) {
    this.#deps = deps;
  }

  /** The header for a first try: nothing, until the host has asked for something. */
  async before(target: AuthTarget, signal: AbortSignal): Promise<Authorization> {
    const challenge = this.#challenges.get(target.repository.host);
    return challenge === undefined ? none : this.#answer(challenge, target, signal);
  }

  /**
   * The header for a second try, after a 401.
   *
   * @param refused - the header that the host has just refused; its token is forgotten.
   * @throws OCI_CHALLENGE_INVALID, OCI_UNAUTHORIZED
   */
  async afterRefusal(header: string | undefined, target: AuthTarget, signal: AbortSignal): Promise<Authorization> {
    const { host } = target.repository;
    const challenges = parseChallenges(header ?? "");
    const challenge =
      challenges.find(({ scheme }) => scheme === "bearer") ?? challenges.find(({ scheme }) => scheme === "basic");
    if (challenge === undefined) {
      throw oci.CHALLENGE_INVALID({
        ref: target.ref,
        host,
        reason: "no Basic or Bearer challenge in WWW-Authenticate",
      });
    }
    this.#challenges.set(host, challenge);
    this.#tokens.delete(this.#tokenKey(challenge, target));
    return this.#answer(challenge, target, signal);
  }

  #tokenKey(challenge: Challenge, target: AuthTarget): string {
    const { realm, service } = challenge.parameters;
    // The repository is part of the key because credentials may differ by path.
    return JSON.stringify([formatRepository(target.repository), realm, service, scopesFor(target)]);
  }

  async #answer(challenge: Challenge, target: AuthTarget, signal: AbortSignal): Promise<Authorization> {
    if (challenge.scheme === "basic") return this.#basic(target);
    const key = this.#tokenKey(challenge, target);
    const known = this.#tokens.get(key);
    if (known !== undefined && known.expiresAtMs > this.#deps.clock.now()) return known;
    const token = await this.#flights.run(key, (shared) => this.#bearer(challenge, target, shared), signal);
    this.#tokens.set(key, token);
    return token;
  }

  async #basic(target: AuthTarget): Promise<Authorization> {
    const credential = await this.#deps.credentials(target.repository);
    const header = credential === undefined ? undefined : basicHeader(credential);
    if (header !== undefined) return { header, use: "the configured credentials" };
    throw oci.UNAUTHORIZED({ ref: target.ref, host: target.repository.host, use: "no credentials" });
  }

  async #bearer(challenge: Challenge, target: AuthTarget, signal: AbortSignal): Promise<Token> {
    const credential = await this.#deps.credentials(target.repository);
    const use = credential === undefined ? "no credentials" : "the configured credentials";
    // It is not ours to know how long a given token lasts, so it is looked up every time.
    if (credential?.registryToken !== undefined)
      return { header: bearer(credential.registryToken), use, expiresAtMs: 0 };
    const { token, lifetimeMs } = await fetchToken(this.#deps.call, {
      ref: target.ref,
      repository: target.repository,
      challenge,
      scopes: scopesFor(target),
      identityToken: credential?.identityToken,
      basic: credential === undefined ? undefined : basicHeader(credential),
      signal,
    });
    // A tenth is kept back, so that a token does not expire on its way.
    return { header: bearer(token), use, expiresAtMs: this.#deps.clock.now() + lifetimeMs * 0.9 };
  }
}
