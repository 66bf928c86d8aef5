import { formatRfc3339, parseRfc3339 } from "../../../modules/maintenance/calendar.ts";
import { watcherErrors } from "../errors.ts";
import { formatBundle, parseBundle, validityOf } from "./pem.ts";

/** The certificates of a Secret, PEM. */
export interface TlsData {
  readonly crt: string;
  readonly key: string;
  readonly ca: string;
}

/** The gateway Secret: what the listener shows, whom it trusts, and since when it trusts the newest CA. */
export interface GatewaySecret extends TlsData {
  /** RFC 3339; absent or malformed in a Secret that somebody else has written. */
  readonly caAddedAt?: string;
}

export interface RotationSettings {
  /** How long an old server certificate is kept after a new CA entered the bundle, in milliseconds. */
  readonly graceMs: number;
}

/**
 * The gateway Secret as it should be. A new root enters the bundle first, so that both are trusted; only when every
 * agent has had time to learn of it does the gateway show a certificate of its own. Expired CAs leave the bundle.
 *
 * Throws `WATCHER_SECRET_INVALID` when nobody can tell when the newest CA was added.
 */
export function planGatewaySecret(
  root: TlsData,
  current: GatewaySecret | undefined,
  { graceMs }: RotationSettings,
  nowMs: number,
): GatewaySecret {
  const now = formatRfc3339(nowMs);
  if (current === undefined) return { ...root, caAddedAt: now };
  const bundled = withRoot(current.ca, root.crt);
  const caAddedAt = bundled === current.ca ? current.caAddedAt : now;
  const addedMs = parseRfc3339(caAddedAt ?? "")?.ms;
  if (caAddedAt === undefined || addedMs === undefined) {
    const problem = `annotation caAddedToBundleAt is ${JSON.stringify(caAddedAt ?? "")}, expected a time in RFC 3339`;
    throw watcherErrors.SECRET_INVALID({ secret: "of the gateway", problem });
  }
  const ca = withoutExpired(bundled, nowMs);
  const switched =
    nowMs > addedMs + graceMs ? { crt: root.crt, key: root.key } : { crt: current.crt, key: current.key };
  return { ...switched, ca, caAddedAt };
}

/** Puts a root in front of a bundle that does not hold it yet. A text that is no bundle is left as it is. */
export function withRoot(bundle: string, root: string): string {
  const known = parseBundle(bundle);
  const [added] = parseBundle(root) ?? [];
  if (known === undefined || added === undefined) return bundle;
  if (known.some(({ fingerprint256 }) => fingerprint256 === added.fingerprint256)) return bundle;
  return formatBundle([added, ...known]);
}

/** Drops certificates that have ended; a text that is no bundle is left as it is. */
export function withoutExpired(bundle: string, nowMs: number): string {
  const known = parseBundle(bundle);
  if (known === undefined) return bundle;
  const valid = known.filter((certificate) => validityOf(certificate).notAfterMs > nowMs);
  return valid.length === known.length ? bundle : formatBundle(valid);
}
