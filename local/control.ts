import { timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import type { WorldState } from "./state-files.ts";

/** What a running world tells and does on request. */
export interface Control {
  status(): Promise<unknown>;
  stop(): void;
}

export interface ControlServer {
  readonly url: string;
  close(): void;
}

/** Serves `GET /status` and `POST /stop` on loopback to whoever knows the token. */
export async function serveControl(control: Control, token: string): Promise<ControlServer> {
  const server = createServer((incoming, response) => {
    const answer = (code: number, body: unknown): void => {
      response.writeHead(code, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(body));
    };
    if (!sameToken(incoming.headers.authorization ?? "", `Bearer ${token}`))
      return answer(401, { error: "unknown token" });
    if (incoming.method === "POST" && incoming.url === "/stop") {
      answer(202, {});
      return control.stop();
    }
    if (incoming.method !== "GET" || incoming.url !== "/status") return answer(404, { error: "not found" });
    control.status().then(
      (status) => answer(200, status),
      () => answer(500, { error: "the state could not be read" }),
    );
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

function sameToken(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Calls the world of `state`; undefined when it does not answer or can't. Whether it is gone, only the lock of its
 * folder tells.
 */
export async function callControl(state: WorldState, method: "GET" | "POST", path: string): Promise<unknown> {
  try {
    const { statusCode, body } = await request(`${state.control}${path}`, {
      method,
      headers: { authorization: `Bearer ${state.token}` },
      headersTimeout: 5_000,
      bodyTimeout: 5_000,
    });
    const answer = await body.json();
    return statusCode < 300 ? answer : undefined;
  } catch {
    return undefined;
  }
}
