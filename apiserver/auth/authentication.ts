import { apiError } from "../api-error.ts";
import type { ApiRequest } from "../http/messages.ts";
import type { UserInfo } from "../options.ts";
import type { Store } from "../storage/store.ts";
import { issuer, type StaticTokens, serviceAccountUser, type TokenSigner, type VerifiedToken } from "./tokens.ts";

export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** What authentication looks at. */
export interface Identities {
  readonly store: Store;
  readonly signer: TokenSigner;
  readonly staticTokens: StaticTokens;
  now(): number;
}

/**
 * Who sent the request: a bearer token wins over the client certificate.
 *
 * Throws 401 for a token that is not ours, and for a certificate that is not or has expired.
 */
export function authenticate(request: ApiRequest, identities: Identities): UserInfo {
  const token = /^bearer +(.+)$/i.exec(request.headers.authorization ?? "")?.[1]?.trim();
  if (token !== undefined) {
    const user = userOfToken(token, [issuer], identities);
    if (user === undefined) throw apiError.unauthorized();
    return withAuthenticated(user);
  }
  if (request.peer === "refused") throw apiError.unauthorized();
  return request.peer === undefined ? anonymous : withAuthenticated(request.peer);
}

/** The user of a token for one of these audiences; `undefined` when it is not valid (any more). */
export function userOfToken(token: string, audiences: readonly string[], identities: Identities): UserInfo | undefined {
  const { store, signer, staticTokens } = identities;
  const known = staticTokens.userOf(token);
  if (known !== undefined) return known;
  const verified = signer.verify(token, identities.now());
  if (verified === undefined || !isAlive(verified, store)) return undefined;
  return verified.audiences.some((audience) => audiences.includes(audience)) ? serviceAccountUser(verified) : undefined;
}

function isAlive({ namespace, serviceAccount, bound }: VerifiedToken, store: Store): boolean {
  const exists = (collection: string, name: string, uid: string): boolean =>
    store.get({ collection, namespace: collection === "/nodes" ? "" : namespace, name })?.object.metadata.uid === uid;
  if (!exists("/serviceaccounts", serviceAccount.name, serviceAccount.uid)) return false;
  return bound === undefined || exists(`/${bound.kind.toLowerCase()}s`, bound.name, bound.uid);
}

function withAuthenticated(user: UserInfo): UserInfo {
  if (user.groups.includes("system:authenticated") || user.name === anonymous.name) return user;
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}
