import type { UserInfo } from "../options.ts";

/** One request, whatever carried it. */
export interface ApiRequest {
  readonly method: string;
  /** Path as sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /**
   * Who the carrier says it is: the client certificate's subject, or the in-process caller; `"refused"` for a
   * certificate that counts no more, or never did.
   */
  readonly peer: UserInfo | "refused" | undefined;
  /** Aborted when the client leaves or the server stops. */
  readonly signal: AbortSignal;
}

/** Text is UTF-8; an iterable is sent piece by piece. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

/** Answers one request. Never rejects: failures are answers. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;
