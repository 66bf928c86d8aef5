/** One HTTP request, without policy: no retry, no redirect, no credentials beyond `headers`. */
export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * True when a remote server chose this URL: addresses of this machine (loopback, unspecified)
   * and link-local ones must then not be connected to, whatever name they hide behind.
   */
  readonly guarded: boolean;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Must be read to its end or discarded. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Drops the body without reading it to its end. */
  discard(): Promise<void>;
}

/** Sends requests. The one for undici is in `system-http.ts`; tests may pass another. */
export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Where time comes from. Has the shape of the clock used everywhere in this repository. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once; the returned function cancels. */
  after(delayMs: number, callback: () => void): () => void;
}
