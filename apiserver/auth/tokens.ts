import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
  verify,
} from "node:crypto";
import type { UserInfo } from "../options.ts";

/** Audience of tokens that are meant for this server; also the issuer. */
export const issuer = "https://kubernetes.default.svc.cluster.local";

/** What a service account token says, beyond its signature. */
export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
  readonly audiences: readonly string[];
  /** Bound object: the token dies with it. */
  readonly bound?: { readonly kind: "Pod" | "Secret" | "Node"; readonly name: string; readonly uid: string };
  /** Seconds since the epoch; absent for tokens in Secrets. */
  readonly expiresAt?: number;
}

/** A token whose signature is ours; whether its objects still exist is for the caller to look up. */
export interface VerifiedToken extends TokenClaims {
  readonly id: string;
}

/** Makes and checks the tokens of one server. */
export class TokenSigner {
  readonly #key: KeyObject;
  readonly #public: KeyObject;
  readonly #keyId: string;

  /** @param pem - a kept private key; absent: a new one. */
  constructor(pem?: string) {
    this.#key =
      pem === undefined ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey : createPrivateKey(pem);
    this.#public = createPublicKey(this.#key);
    const der = this.#public.export({ type: "spki", format: "der" });
    this.#keyId = createHash("sha256").update(der).digest("base64url");
  }

  get pem(): string {
    return this.#key.export({ type: "pkcs8", format: "pem" }) as string;
  }

  /** The public key as JSON Web Key Set, served at `/openid/v1/jwks`. */
  keySet(): unknown {
    return { keys: [{ use: "sig", alg: "ES256", kid: this.#keyId, ...this.#public.export({ format: "jwk" }) }] };
  }

  issue(claims: TokenClaims, now: number): string {
    const issuedAt = Math.floor(now / 1000);
    const bound =
      claims.bound === undefined
        ? {}
        : { [claims.bound.kind.toLowerCase()]: { name: claims.bound.name, uid: claims.bound.uid } };
    const payload = {
      aud: claims.audiences,
      ...(claims.expiresAt === undefined ? {} : { exp: claims.expiresAt }),
      iat: issuedAt,
      iss: issuer,
      jti: randomUUID(),
      "kubernetes.io": { namespace: claims.namespace, ...bound, serviceaccount: claims.serviceAccount },
      nbf: issuedAt,
      sub: `system:serviceaccount:${claims.namespace}:${claims.serviceAccount.name}`,
    };
    const content = `${encode({ alg: "ES256", kid: this.#keyId })}.${encode(payload)}`;
    const signature = sign("sha256", Buffer.from(content), { key: this.#key, dsaEncoding: "ieee-p1363" });
    return `${content}.${signature.toString("base64url")}`;
  }

  /** `undefined` when the token is not ours or has expired. */
  verify(token: string, now: number): VerifiedToken | undefined {
    const [header = "", payload = "", signature = "", ...more] = token.split(".");
    if (more.length > 0 || signature === "") return undefined;
    const key = { key: this.#public, dsaEncoding: "ieee-p1363" } as const;
    const content = Buffer.from(`${header}.${payload}`);
    if (!verify("sha256", content, key, Buffer.from(signature, "base64url"))) return undefined;
    return readClaims(JSON.parse(Buffer.from(payload, "base64url").toString()) as Payload, now);
  }
}

interface Payload {
  readonly aud: readonly string[];
  readonly exp?: number;
  readonly nbf: number;
  readonly jti: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    readonly pod?: { readonly name: string; readonly uid: string };
    readonly secret?: { readonly name: string; readonly uid: string };
    readonly node?: { readonly name: string; readonly uid: string };
  };
}

/** Expired tokens are refused; a clock that is a minute behind is forgiven. */
function readClaims(payload: Payload, now: number): VerifiedToken | undefined {
  const seconds = now / 1000;
  if ((payload.exp !== undefined && payload.exp <= seconds) || payload.nbf > seconds + 60) return undefined;
  const { namespace, serviceaccount, pod, secret, node } = payload["kubernetes.io"];
  const bound = boundObject({ Pod: pod, Secret: secret, Node: node });
  return {
    id: payload.jti,
    namespace,
    serviceAccount: serviceaccount,
    audiences: payload.aud,
    ...(payload.exp === undefined ? {} : { expiresAt: payload.exp }),
    ...(bound === undefined ? {} : { bound }),
  };
}

function boundObject(
  candidates: Readonly<Record<"Pod" | "Secret" | "Node", { readonly name: string; readonly uid: string } | undefined>>,
): TokenClaims["bound"] {
  for (const kind of ["Pod", "Secret", "Node"] as const) {
    const candidate = candidates[kind];
    if (candidate !== undefined) return { kind, ...candidate };
  }
  return undefined;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Tokens of people, handed out in kubeconfigs; they live as long as the server. */
export class StaticTokens {
  readonly #users = new Map<string, UserInfo>();

  issue(user: UserInfo): string {
    const token = randomBytes(32).toString("base64url");
    this.#users.set(token, user);
    return token;
  }

  userOf(token: string): UserInfo | undefined {
    return this.#users.get(token);
  }
}

/** The identity of a service account. */
export function serviceAccountUser(token: VerifiedToken): UserInfo {
  const { namespace, serviceAccount, bound } = token;
  const extra: Record<string, readonly string[]> = {
    "authentication.kubernetes.io/credential-id": [`JTI=${token.id}`],
  };
  if (bound?.kind === "Pod") {
    extra["authentication.kubernetes.io/pod-name"] = [bound.name];
    extra["authentication.kubernetes.io/pod-uid"] = [bound.uid];
  }
  return {
    name: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
    uid: serviceAccount.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    extra,
  };
}
