/** One HTTP request, relative to the server that the transport belongs to. */
export interface TransportRequest {
  readonly method: string;
  /** Absolute path with its query, for example `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Must be read to its end or returned early; either gives the connection back. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Masks the credentials that were sent, should the answer repeat them. Absent where none were. */
  readonly mask?: (text: string) => string;
}

/**
 * How requests reach one server: over TLS, or straight into an API server of the same process.
 *
 * A failure before the response starts is thrown; `KUBE_CONNECTION`, `KUBE_DNS` and `KUBE_TLS` tell apart why.
 * When the signal aborts, its reason is thrown, also from the body.
 */
export interface Transport {
  /** Name of the server for errors and metrics, for example `10.0.0.1:6443`. */
  readonly host: string;
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Ends every request and connection. */
  close(): Promise<void>;
}

/** The first value of a header, or undefined. */
export function headerOf(response: Pick<TransportResponse, "headers">, name: string): string | undefined {
  const value = response.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Wraps a function that answers requests, for example the in-process entry of the embedded API server. */
export function transportFrom(request: Transport["request"], host = "in-process"): Transport {
  return { host, request, close: async () => undefined };
}
