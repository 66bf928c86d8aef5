import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { type ReviewContext, reviewRuntime } from "./review.ts";

/** Path of the webhook, named as webhooks of other operators are. */
export const webhookPath = "/validate-infrastructuremanager-kyma-project-io-v1-runtime";

/** An API server sends objects up to 3 MiB, the old one beside the new one. */
const limitBytes = 8 * 1024 * 1024;
const requestTimeoutMs = 10_000;

export interface WebhookOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  readonly context: ReviewContext;
}

export interface WebhookServer {
  readonly port: number;
  /** Uses another certificate from the next connection on. */
  renew(certificate: string, key: string): void;
  close(): Promise<void>;
}

/** Serves the validating webhook of Runtimes over TLS. */
export async function serveRuntimeWebhook(options: WebhookOptions): Promise<WebhookServer> {
  const { host, port, certificate, key, context } = options;
  const server = createServer(
    { cert: certificate, key, minVersion: "TLSv1.2", requestTimeout: requestTimeoutMs },
    (request, response) => {
      respond(request, response, context).catch(() => response.destroy());
    },
  );
  await listen(server, port, host);
  return {
    port: (server.address() as AddressInfo).port,
    renew: (cert, newKey) => server.setSecureContext({ cert, key: newKey, minVersion: "TLSv1.2" }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
}

async function respond(request: IncomingMessage, response: ServerResponse, context: ReviewContext): Promise<void> {
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  if (request.method !== "POST" || request.url?.split("?")[0] !== webhookPath) return send(404, { error: "not found" });
  const text = await readBody(request);
  if (text === undefined) return send(413, { error: `the review is larger than ${limitBytes} bytes` });
  let review: unknown;
  try {
    review = JSON.parse(text);
  } catch {
    return send(400, { error: "the review is no JSON" });
  }
  send(200, await reviewRuntime(review, context));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > limitBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
