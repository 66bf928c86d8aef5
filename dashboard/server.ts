import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Secret, textOf } from "@kyma-operators/errors";
import type { Clock } from "@kyma-operators/kube";
import { type Logger, listenOn } from "@kyma-operators/runtime";
import { Access, isLoopback } from "./access.ts";
import { type Assets, readAssets } from "./asset-files.ts";
import { dashboardErrors } from "./errors.ts";
import { fleetView } from "./fleet-page.ts";
import { readForm } from "./form.ts";
import { ConditionHistory } from "./history.ts";
import { kymaView } from "./kyma-page.ts";
import { type Frame, livePage, signInPage, type View } from "./layout.ts";
import { LiveViews } from "./live-views.ts";
import { onAnyChange, type Sources } from "./sources.ts";

export interface DashboardOptions {
  /** `host:port`; port 0 takes a free one. */
  readonly bind: string;
  readonly sources: Sources;
  /** Where the objects of the sources live. */
  readonly namespace: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads the token that callers must know; needed when other machines can reach the address. */
  readonly token?: () => Promise<Secret>;
  /** How many pages may be open at once. Default 100. */
  readonly mostViewers?: number;
}

export interface Dashboard {
  readonly url: string;
  close(): Promise<void>;
}

/** Every answer: nothing of the page may come from, go to or be shown in another site. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Serves the web page on an address of its own.
 *
 * Everything shown comes from the sources; no request goes to the cluster. Throws `DASHBOARD_…` when the address is
 * open to other machines and there is no token, and `LISTEN_…` when it can't be listened on.
 */
export async function serveDashboard(options: DashboardOptions): Promise<Dashboard> {
  const loopback = isLoopback(options.bind);
  const isAddress = /:\d+$/.test(options.bind); // what is none is refused below, with better words
  if (isAddress && !loopback && options.token === undefined) throw dashboardErrors.NO_TOKEN({ bind: options.bind });
  await options.token?.(); // a file that can't be used shows at start, not at the first visit
  const site = new Site(options, loopback, await readAssets());
  const server = createServer((request, response) => void site.answer(request, response));
  server.requestTimeout = 10_000;
  server.headersTimeout = 5_000;
  server.maxConnections = 300;
  await listenOn(server, options.bind);
  const { port } = server.address() as AddressInfo;
  const host = options.bind.slice(0, options.bind.lastIndexOf(":"));
  return {
    url: `http://${host === "" ? "localhost" : host}:${port}/`,
    close: () =>
      new Promise((resolve) => {
        site.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Site {
  readonly #options: DashboardOptions;
  readonly #assets: Assets;
  readonly #access: Access;
  readonly #history = new ConditionHistory();
  readonly #live: LiveViews;
  readonly #unsubscribe: () => void;

  constructor(options: DashboardOptions, loopback: boolean, assets: Assets) {
    const { clock, token, sources, mostViewers = 100 } = options;
    this.#options = options;
    this.#assets = assets;
    this.#access = new Access({ loopback, now: () => clock.now(), ...(token === undefined ? {} : { token }) });
    this.#live = new LiveViews({ clock, mostViewers, render: (path) => this.#contentOf(path) });
    this.#unsubscribe = onAnyChange(sources, (change) => {
      this.#history.record(change);
      this.#live.changed();
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#live.close();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    try {
      await this.#route(request, response);
    } catch (error) {
      this.#options.log.error({ error: textOf(error) }, "a page of the dashboard failed");
      if (response.headersSent) response.destroy();
      else sendText(response, 500, "internal error");
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request.url ?? "");
    if (url === undefined) return sendText(response, 400, "not an address");
    const verdict = await this.#access.verdict(request);
    if (verdict === "foreign") return sendText(response, 421, "this page answers to localhost only");
    if (request.method !== "GET" && request.method !== "HEAD") return this.#change(url, request, response);
    if (url.pathname.startsWith("/assets/")) return this.#asset(url.pathname, response);
    return verdict === "unknown" ? this.#refuse(response) : this.#show(url, request, response);
  }

  /** Signing in is the only thing that is not reading. */
  async #change({ pathname }: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (pathname === "/sign-in" && request.method === "POST") return this.#signIn(request, response);
    response.setHeader("allow", "GET, HEAD");
    return sendText(response, 405, "this page only reads");
  }

  #show(url: URL, request: IncomingMessage, response: ServerResponse): void {
    if (url.pathname === "/live") return this.#stream(url.searchParams.get("view") ?? "/", request, response);
    const view = this.#viewOf(url);
    if (view === undefined) return sendText(response, 404, "not found");
    return sendHtml(response, view.status, livePage(view, this.#frame()));
  }

  /** The view of an address; undefined for one that has none. */
  #viewOf({ pathname, searchParams }: URL): View | undefined {
    const { sources, namespace } = this.#options;
    if (pathname === "/") return fleetView(sources, searchParams);
    const name = /^\/kymas\/([^/]+)$/.exec(pathname)?.[1];
    return name === undefined ? undefined : kymaView(sources, this.#history, { namespace, name: decoded(name) });
  }

  /** Content without a view makes the page load again, and show what is wrong. */
  #contentOf(path: string): string {
    try {
      const url = urlOf(path);
      const view = url && this.#viewOf(url);
      return JSON.stringify(view === undefined ? {} : { title: view.title, main: view.main.text });
    } catch (error) {
      // It is rendered on a timer, where nobody else would catch it.
      this.#options.log.error({ error: textOf(error) }, "a view of the dashboard failed");
      return "{}";
    }
  }

  #stream(path: string, request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== "GET") return sendText(response, 405, "a stream is read by GET");
    // Other sites can't read the stream, but they could use up its places.
    const site = request.headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin") return sendText(response, 403, "only for this site's own pages");
    if (this.#live.add(path, response)) return;
    response.setHeader("retry-after", "30");
    sendText(response, 503, "too many pages are open");
  }

  #asset(path: string, response: ServerResponse): void {
    const { style, script } = this.#assets;
    const asset = [style, script].find(({ url }) => url.startsWith(`${path}?`));
    if (asset === undefined) return sendText(response, 404, "not found");
    response.setHeader("cache-control", "public, max-age=31536000, immutable");
    response.writeHead(200, { "content-type": asset.contentType }).end(asset.text);
  }

  #refuse(response: ServerResponse, problem?: string): void {
    response.setHeader("www-authenticate", "Bearer");
    sendHtml(response, 401, signInPage(this.#frame(), problem));
  }

  async #signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request);
    const cookie = await this.#access.signIn(form?.get("token") ?? "");
    if (cookie === undefined) return this.#refuse(response, "This is not the token of this dashboard.");
    response.writeHead(303, { location: "/", "set-cookie": cookie }).end();
  }

  #frame(): Frame {
    const { namespace, version, clock } = this.#options;
    const { style, script } = this.#assets;
    return { namespace, version, style: style.url, script: script.url, nowMs: clock.now() };
  }
}

/** A path of this site as an address; undefined when it is none. */
function urlOf(path: string): URL | undefined {
  return path.startsWith("/") && !path.startsWith("//") ? (URL.parse(path, "http://page") ?? undefined) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
}

function sendHtml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(text);
}
