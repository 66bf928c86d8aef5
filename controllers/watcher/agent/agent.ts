import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Clock } from "@kyma-operators/kube";
import type { Logger, MetricsRegistry } from "@kyma-operators/runtime";
import type { TlsData } from "../certificates/gateway-secret.ts";
import { allow, eventFor, parseReview } from "./admission.ts";
import { Reporter } from "./reporter.ts";

const path = /^\/validate\/([a-z0-9.-]{1,253})$/;
/** Kubernetes objects stay below 1.5 MiB, and a review carries two of them. */
const longestReview = 4 << 20;

export interface AgentOptions {
  /** `<host>:<port>` of the control plane's listener. */
  readonly kcpAddress: string;
  readonly tls: TlsData;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

export interface WatcherAgent {
  readonly server: Server;
  /** Waits for events that are on their way. */
  close(): Promise<void>;
}

/** The agent on a remote cluster: a validating webhook that lets everything pass and tells the control plane of it. */
export function createAgent(options: AgentOptions): WatcherAgent {
  const reporter = new Reporter({ ...options, address: options.kcpAddress });
  const { crt, key } = options.tls;
  const reviews = options.metrics.counter("watcher_admission_request_total", "Admission requests");
  const errors = options.metrics.counter(
    "watcher_admission_request_error_total",
    "Admission requests that made no sense",
  );
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    reviews.inc();
    const manager = path.exec(request.url ?? "")?.[1];
    const body = manager === undefined ? undefined : await readBody(request);
    const review = body === undefined ? undefined : parseReview(body);
    if (manager === undefined || review === undefined) {
      errors.inc();
      response.writeHead(manager === undefined ? 404 : 400).end();
      return;
    }
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(allow(review)));
    const event = eventFor(review);
    if (event !== undefined) reporter.report(manager, event);
  };
  const server = createServer({ cert: crt, key, requestTimeout: 15_000 }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return {
    server,
    close: async () => {
      await new Promise((resolve) => server.close(resolve));
      await reporter.close();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestReview) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
