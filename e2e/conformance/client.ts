import { Agent, request } from "undici";

/** A server under test and an administrator's credentials for it. */
export interface Server {
  readonly url: string;
  readonly caCertificate: string;
  readonly token: string;
}

/** A parsed answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON, else the text. */
  readonly body: unknown;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends requests over TLS, one connection pool per server. */
export class Client {
  readonly #server: Server;
  readonly #agent: Agent;

  constructor(server: Server) {
    this.#server = server;
    this.#agent = new Agent({ connect: { ca: server.caCertificate }, bodyTimeout: 0 });
  }

  async send({ method, path, headers = {}, body }: HttpRequest): Promise<HttpAnswer> {
    const response = await request(this.#server.url + path, {
      method: method as "GET",
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#server.token}`, "user-agent": "conformance/1", ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.statusCode, headers: response.headers, body: parse(await response.body.text()) };
  }

  /** Opens a watch; its lines are collected until it is closed. */
  async watch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Watch> {
    const response = await request(this.#server.url + path, {
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#server.token}`, ...headers },
    });
    return new Watch(response.statusCode, response.body);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The events of one watch so far. */
export class Watch {
  readonly status: number;
  readonly events: unknown[] = [];
  readonly #stream: AsyncIterable<Uint8Array> & { destroy(): unknown };
  #wake: (() => void) | undefined;

  constructor(status: number, stream: AsyncIterable<Uint8Array> & { destroy(): unknown }) {
    this.status = status;
    this.#stream = stream;
    void this.#read().catch(() => undefined);
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.#stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      this.events.push(...lines.map(parse));
      this.#wake?.();
    }
  }

  /** The first so many events; fewer when they do not come in time. */
  async first(count: number, timeoutMs: number): Promise<readonly unknown[]> {
    const deadline = Date.now() + timeoutMs;
    while (this.events.length < count && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, deadline - Date.now()));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.events.slice(0, count);
  }

  close(): void {
    this.#stream.destroy();
  }
}
