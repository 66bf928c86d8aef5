import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { UserInfo } from "../options.ts";

/** What the client certificate of a connection says. */
interface Presented {
  /** Undefined for a certificate that this server does not accept. */
  readonly user: UserInfo | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const known = new WeakMap<object, Presented | "nobody">();

/**
 * The subject of the client certificate, looked up once per connection; undefined without one.
 *
 * `"refused"` for a certificate of somebody else's authority and for one that has expired, be it in the middle of a
 * connection.
 */
export function peerOf(incoming: IncomingMessage | Http2ServerRequest, now: number): UserInfo | "refused" | undefined {
  const session = "stream" in incoming ? incoming.stream.session : undefined;
  const socket = (session?.socket ?? incoming.socket) as TLSSocket;
  const identity = (session ?? incoming.socket) as object;
  let presented = known.get(identity);
  if (presented === undefined) {
    presented = readCertificate(socket) ?? "nobody";
    known.set(identity, presented);
  }
  if (presented === "nobody") return undefined;
  return now < presented.expiresAt && presented.user !== undefined ? presented.user : "refused";
}

function readCertificate(socket: TLSSocket): Presented | undefined {
  const { subject, valid_to: until } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  const user = socket.authorized ? { name: asList(subject.CN)[0] ?? "", groups: asList(subject.O) } : undefined;
  return { user, expiresAt: Date.parse(until) };
}

function asList(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
