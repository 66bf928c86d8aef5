import {
  type Clock,
  kubeErrors,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@kyma-operators/kube";

/** What happens to one request. */
export type RequestFault =
  /** The server answers this instead of carrying it out. */
  | { readonly kind: "answer"; readonly status: 409 | 410 | 429 | 500 | 503; readonly retryAfterSeconds?: number }
  /** The connection breaks before the server has seen the request. */
  | { readonly kind: "reset" }
  /** The server carries it out, but its answer is lost. */
  | { readonly kind: "lost-answer" }
  /** It takes a while to arrive. */
  | { readonly kind: "delay"; readonly delayMs: number }
  /** Lists only: the answer to the last list with the same query is given again, be it one of a life before. */
  | { readonly kind: "stale-list" };

/** What happens to one watch event. */
export type EventFault =
  | { readonly kind: "drop" }
  | { readonly kind: "duplicate" }
  | { readonly kind: "delay"; readonly delayMs: number }
  /** The stream breaks instead. */
  | { readonly kind: "break" };

/** Decides about faults. Every method is asked once per request or event, in order. */
export interface FaultPlan {
  request?(request: TransportRequest): RequestFault | undefined;
  event?(line: string, request: TransportRequest): EventFault | undefined;
}

/** The last answer to each list, by its path. */
export type Lists = Map<string, { readonly response: Omit<TransportResponse, "body">; readonly bytes: Uint8Array }>;

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const isWatch = ({ path }: TransportRequest): boolean => path.includes("watch=true");
const isList = (request: TransportRequest): boolean =>
  request.method === "GET" && /[?&]limit=/.test(request.path) && !isWatch(request);

/** True for requests that change objects. */
export function isWrite({ method, path }: TransportRequest): boolean {
  return method !== "GET" && !/[?&]dryRun=All/.test(path);
}

/** A transport on which a plan plays faults. While {@link partitioned} is set, nothing gets through. */
export class FaultTransport implements Transport {
  readonly host = "faulty";
  /** Cuts every request and stream off, silently, as a lost network does. */
  partitioned = false;
  readonly #inner: Transport["request"];
  readonly #clock: Clock;
  readonly #plan: FaultPlan;
  readonly #lists: Lists;

  /** @param lists - what programs before this one have been told, if a restart is to meet an old list. */
  constructor(inner: Transport["request"], clock: Clock, plan: FaultPlan, lists: Lists = new Map()) {
    this.#inner = inner;
    this.#clock = clock;
    this.#plan = plan;
    this.#lists = lists;
  }

  async close(): Promise<void> {
    this.partitioned = true;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    if (this.partitioned) return silence(request);
    const fault = this.#plan.request?.(request);
    return fault === undefined ? this.#carryOut(request) : this.#fail(request, fault);
  }

  async #fail(request: TransportRequest, fault: RequestFault): Promise<TransportResponse> {
    if (fault.kind === "answer") return refusal(fault);
    if (fault.kind === "reset") throw broken(request);
    if (fault.kind === "stale-list") return this.#oldList(request) ?? this.#carryOut(request);
    if (fault.kind === "delay") await this.#clock.sleep(fault.delayMs, request.signal);
    const response = await this.#carryOut(request);
    if (fault.kind === "delay") return response;
    if (!isWatch(request)) await collect(response.body);
    throw broken(request);
  }

  #oldList(request: TransportRequest): TransportResponse | undefined {
    const old = isList(request) ? this.#lists.get(request.path) : undefined;
    return old === undefined ? undefined : { ...old.response, body: bytesOf(old.bytes) };
  }

  async #carryOut(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#inner(request);
    if (isWatch(request)) return { ...response, body: this.#events(response, request) };
    if (!isList(request)) return response;
    const bytes = await collect(response.body);
    const { status, headers } = response;
    this.#lists.set(request.path, { response: { status, headers }, bytes });
    return { status, headers, body: bytesOf(bytes) };
  }

  async *#events(response: TransportResponse, request: TransportRequest): AsyncGenerator<Uint8Array> {
    let rest = "";
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield* this.#event(line, request);
    }
  }

  async *#event(line: string, request: TransportRequest): AsyncGenerator<Uint8Array> {
    if (this.partitioned) await silence(request);
    const fault = this.#plan.event?.(line, request);
    if (fault?.kind === "break") throw broken(request);
    if (fault?.kind === "delay") await this.#clock.sleep(fault.delayMs, request.signal);
    const times = { drop: 0, duplicate: 2, delay: 1 }[fault?.kind ?? "delay"];
    for (let time = 0; time < times; time += 1) yield encoder.encode(`${line}\n`);
  }
}

/** Never answers; ends with the signal of the request. */
export function silence(request: TransportRequest): Promise<never> {
  return new Promise((_, reject) => {
    if (request.signal?.aborted) return reject(request.signal.reason);
    request.signal?.addEventListener("abort", () => reject(request.signal?.reason), { once: true });
  });
}

function broken({ method, path }: TransportRequest): Error {
  return kubeErrors.CONNECTION({ host: "faulty", method, path });
}

function refusal(fault: Extract<RequestFault, { kind: "answer" }>): TransportResponse {
  const { status, retryAfterSeconds } = fault;
  const body = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code: status,
    reason: "Simulated",
    message: "simulated",
  };
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
    body: bytesOf(encoder.encode(JSON.stringify(body))),
  };
}

async function collect(body: TransportResponse["body"]): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
