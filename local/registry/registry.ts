import { hash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Answer, errors, failure, json, RegistryError } from "./answer.ts";
import { handleBlob, handleUpload, handleUploads } from "./blobs.ts";
import { handleCatalog, handleManifest, handleReferrers, handleTags } from "./manifests.ts";
import type { RegistryContext, RegistryLimits, RegistryRequest } from "./requests.ts";
import { parseRoute, type Route } from "./routes.ts";
import { createMemoryStorage, type Storage } from "./storage.ts";
import { createDirectoryStorage } from "./storage-files.ts";

/** Options of {@link startRegistry}. */
export interface RegistryOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Default memory. */
  readonly storage?: "memory" | { readonly directory: string };
  /** User name to password. Without it everybody may pull and push. */
  readonly users?: Readonly<Record<string, string>>;
  readonly limits?: Partial<RegistryLimits>;
}

/** A registry that runs. */
export interface Registry {
  /** For example `http://127.0.0.1:43121`. */
  readonly url: string;
  /** As it stands in references, for example `127.0.0.1:43121`. */
  readonly host: string;
  /** Ends all connections. */
  stop(): Promise<void>;
}

const defaultLimits: RegistryLimits = { manifestBytes: 4_194_304, blobBytes: 2_147_483_648 };

/** The part of the API that a path names. */
function dispatch(route: Route, context: RegistryContext, request: RegistryRequest): Promise<Answer> | Answer {
  switch (route.kind) {
    case "base":
      return json({});
    case "catalog":
      return handleCatalog(context, request);
    case "manifest":
      return handleManifest(context, request, route);
    case "blob":
      return handleBlob(context, request, route);
    case "uploads":
      return handleUploads(context, request, route.repository);
    case "upload":
      return handleUpload(context, request, route);
    case "tags":
      return handleTags(context, request, route.repository);
    case "referrers":
    default:
      return handleReferrers(context, request, route);
  }
}

/** Compares hashes, so that the time says nothing about how much of a password was right. */
function equalTexts(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hash("sha256", a, "hex")), Buffer.from(hash("sha256", b, "hex")));
}

function isAllowed(users: RegistryOptions["users"], authorization: string | undefined): boolean {
  if (users === undefined) return true;
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return false;
  const given = Buffer.from(encoded, "base64").toString("utf8");
  return Object.entries(users).some(([user, password]) => equalTexts(given, `${user}:${password}`));
}

async function answerFor(
  context: RegistryContext,
  users: RegistryOptions["users"],
  message: IncomingMessage,
): Promise<Answer> {
  const url = URL.parse(message.url ?? "/", "http://registry.invalid");
  const headers = message.headers as Readonly<Record<string, string | undefined>>;
  if (!isAllowed(users, headers["authorization"])) {
    return {
      ...failure(errors.unauthorized()),
      headers: { "www-authenticate": 'Basic realm="registry"', "content-type": "application/json" },
    };
  }
  const route = url === null ? undefined : parseRoute(decodePath(url.pathname));
  if (route === undefined || url === null) throw new RegistryError(404, "NAME_INVALID", "no path of the registry API");
  const request = { method: message.method ?? "GET", query: url.searchParams, headers, body: message };
  return dispatch(route, context, request);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  const { body } = answer;
  const length = body instanceof Uint8Array ? { "content-length": String(body.length) } : {};
  response.writeHead(answer.status, {
    "docker-distribution-api-version": "registry/2.0",
    ...length,
    ...answer.headers,
  });
  if (body === undefined || body instanceof Uint8Array) response.end(body);
  else await pipeline(Readable.from(body, { objectMode: false }), response);
}

async function handle(
  context: RegistryContext,
  users: RegistryOptions["users"],
  exchange: { message: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { message, response } = exchange;
  try {
    const answer = await answerFor(context, users, message).catch((error: unknown) => {
      if (error instanceof RegistryError) return failure(error);
      throw error;
    });
    await send(response, answer);
    message.resume(); // an unread body would block the next request of the connection
  } catch (error) {
    // The request broke off, or the disk failed; there is nobody or nothing more to say.
    if (response.headersSent) response.destroy();
    else
      await send(
        response,
        failure(new RegistryError(500, "UNKNOWN", error instanceof Error ? error.message : "internal error")),
      );
  }
}

function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

function storageFor(storage: RegistryOptions["storage"]): Storage {
  return typeof storage === "object" ? createDirectoryStorage(storage.directory) : createMemoryStorage();
}

/**
 * Starts an OCI registry for a local world and for tests: pull, push, mount, tags, referrers, delete,
 * with or without users. Speaks plain HTTP and is not made for the open network.
 */
export async function startRegistry(options: RegistryOptions = {}): Promise<Registry> {
  const context: RegistryContext = {
    storage: storageFor(options.storage),
    limits: { ...defaultLimits, ...options.limits },
  };
  const address = options.address ?? "127.0.0.1";
  const server = createServer((message, response) => void handle(context, options.users, { message, response }));
  const port = await listen(server, options.port ?? 0, address);
  const host = `${address.includes(":") ? `[${address}]` : address}:${port}`;
  return {
    url: `http://${host}`,
    host,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}
