import { ApiError, apiError } from "../api-error.ts";
import { anonymous, authenticate, type Identities } from "../auth/authentication.ts";
import { impersonated } from "../auth/impersonation.ts";
import { type Attributes, type Authorizer, denialMessage } from "../auth/rbac.ts";
import type { RequestRecord, UserInfo } from "../options.ts";
import { respondError } from "../rest/respond.ts";
import type { ApiRequest, ApiResponse, Handler } from "./messages.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";

/** What every request passes before it is answered. */
export interface Gate {
  readonly identities: Identities;
  readonly authorize: Authorizer;
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
  readonly onFault: ((where: string, error: unknown) => void) | undefined;
  /** Answers a request that is let in. */
  readonly route: (request: ApiRequest, info: RequestInfo, user: UserInfo) => Promise<ApiResponse>;
}

/** Paths that anyone may read, as Kubernetes' default bindings allow. */
const publicPaths = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** Authenticates, authorizes, answers and records each request. */
export function dispatcher(gate: Gate): Handler {
  return async (request) => {
    let user = anonymous;
    let info: RequestInfo = { verb: request.method.toLowerCase(), target: undefined };
    let response: ApiResponse;
    try {
      info = parseInfo(request);
      user = impersonated(request, authenticate(request, gate.identities), gate.authorize);
      authorizeRequest(gate.authorize, request, info, user);
      response = await gate.route(request, info, user);
    } catch (error) {
      if (!(error instanceof ApiError)) gate.onFault?.(`${request.method} ${request.path}`, error);
      response = respondError(error);
    }
    gate.onRequest?.(recordOf(request, info, { user, status: response.status }));
    return request.method === "HEAD" ? { ...response, body: "" } : response;
  };
}

function parseInfo(request: ApiRequest): RequestInfo {
  try {
    return parseRequestInfo(request.method, request.path, request.query);
  } catch (error) {
    if (error instanceof URIError) throw apiError.badRequest("the path is not percent-encoded UTF-8");
    throw error;
  }
}

function authorizeRequest(authorize: Authorizer, request: ApiRequest, info: RequestInfo, user: UserInfo): void {
  if (info.target === undefined && publicPaths.has(request.path)) return;
  const attributes = attributesOf(request, info, user);
  if (authorize(attributes).allowed) return;
  const message = denialMessage(attributes);
  if (info.target !== undefined) {
    const { resource, group } = info.target;
    const { name } = attributes;
    throw apiError.forbidden({ resource, kind: resource, group, name }, message);
  }
  throw new ApiError({ code: 403, reason: "Forbidden", message: `forbidden: ${message}`, details: {} });
}

function attributesOf(request: ApiRequest, { verb, target }: RequestInfo, user: UserInfo): Attributes {
  if (target !== undefined) {
    const name = verb === "list" || verb === "watch" ? target.name || selectedName(request.query) : target.name;
    return { ...target, user, verb, name };
  }
  return { user, verb, group: "", resource: "", subresource: "", namespace: "", name: "", path: request.path };
}

/** A list or watch of one object by its name is a matter of the right on that object. */
function selectedName(query: URLSearchParams): string {
  const terms = (query.get("fieldSelector") ?? "").split(",");
  return terms.map((term) => /^metadata\.name==?([^=].*)$/.exec(term)?.[1]).find((name) => name !== undefined) ?? "";
}

const nothing = { group: "", resource: "", subresource: "", namespace: "", name: "" };

function recordOf(
  request: ApiRequest,
  { verb, target }: RequestInfo,
  { user, status }: { readonly user: UserInfo; readonly status: number },
): RequestRecord {
  const { group, resource, subresource, namespace, name } = target ?? nothing;
  return {
    method: request.method,
    path: request.path,
    query: request.query.toString(),
    user: user.name,
    userAgent: request.headers["user-agent"] ?? "",
    verb,
    group,
    resource,
    subresource,
    namespace,
    name,
    status,
    dryRun: request.query.getAll("dryRun").includes("All"),
  };
}
