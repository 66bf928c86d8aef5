import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { defineErrors } from "@kyma-operators/errors";
import type { MetricsExport } from "./metrics.ts";

/** What is asked of a page. */
export interface PageRequest {
  readonly method: "GET" | "PUT";
  readonly query: URLSearchParams;
}

/** What one path answers. */
export interface Page {
  readonly status?: number;
  readonly contentType?: string;
  readonly text: string;
}

/** Pages by path. A page that takes a PUT says so; all others are only read. */
export type Pages = Readonly<Record<string, (request: PageRequest) => Page | Promise<Page>>>;

export interface OperationsServer {
  readonly port: number;
  close(): Promise<void>;
}

const errors = defineErrors("LISTEN", {
  /** The address to listen on is none; write `host:port` or `:port`. */
  ADDRESS: {
    retry: "never",
    text: (d: { readonly bind: string }) => `can't listen on ${d.bind}: expected host:port or :port, for example :8080`,
  },
  /** The address to listen on can't be had: the port is in use, or not allowed. */
  FAILED: {
    retry: "never",
    text: (d: { readonly bind: string; readonly code: string }) =>
      d.code === "EADDRINUSE"
        ? `can't listen on ${d.bind}: the port is in use; choose another with its flag`
        : `can't listen on ${d.bind}: ${d.code}`,
  },
});

const takesPut = new WeakSet<Pages[string]>();

/** Marks a page as one that can be changed by PUT. */
export function changeable(page: Pages[string]): Pages[string] {
  takesPut.add(page);
  return page;
}

/** `/metrics` in the format of Prometheus. */
export function metricsPages(metrics: MetricsExport): Pages {
  return { "/metrics": () => metrics.scrape() };
}

/** `/healthz`: the process turns; `/readyz`: its informers are complete and alive. */
export function healthPages(checks: { readonly unready: () => readonly string[] }): Pages {
  return {
    "/healthz": () => ({ text: "ok" }),
    "/readyz": () => {
      const problems = checks.unready();
      return problems.length === 0 ? { text: "ok" } : { status: 503, text: problems.join("\n") };
    },
  };
}

/**
 * Serves pages by plain HTTP.
 *
 * @param bind - `host:port`, `[v6]:port` or `:port`; port 0 takes a free one. Throws `LISTEN_…`.
 */
export async function serveOperations(bind: string, pages: Pages): Promise<OperationsServer> {
  const server = createServer((request, response) => void answer(pages, request, response));
  server.requestTimeout = 10_000;
  server.headersTimeout = 5000;
  server.maxConnections = 100;
  await listenOn(server, bind);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(pages: Pages, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const page = await pageFor(pages, request).catch(() => ({ status: 500, text: "internal error" }));
  const { status = 200, contentType = "text/plain; charset=utf-8", text }: Page = page;
  response.writeHead(status, { "content-type": contentType, "x-content-type-options": "nosniff" }).end(text);
}

async function pageFor(pages: Pages, request: IncomingMessage): Promise<Page> {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (page === undefined) return { status: 404, text: "not found" };
  const method = request.method === "HEAD" ? "GET" : request.method;
  const isTaken = method === "GET" || (method === "PUT" && takesPut.has(page));
  return isTaken ? page({ method, query: new URLSearchParams(query) }) : { status: 405, text: "method not allowed" };
}

/** Lets a server listen on `host:port`, `[v6]:port` or `:port`; port 0 takes a free one. Throws `LISTEN_…`. */
export async function listenOn(server: Server, bind: string): Promise<void> {
  const [, host, port] = /^(\[[^\]]+\]|[^:]*):(\d{1,5})$/.exec(bind) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535) throw errors.ADDRESS({ bind });
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(errors.FAILED({ bind, code: error.code ?? "" })));
    server.listen({ port: Number(port), ...(host === "" ? {} : { host: host.replace(/^\[|\]$/g, "") }) }, resolve);
  });
}
