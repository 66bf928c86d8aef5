import type { AnyObject } from "@kyma-operators/kube";
import { ApiError, apiError } from "../api-error.ts";
import type { Identities } from "../auth/authentication.ts";
import type { Authorizer } from "../auth/rbac.ts";
import { answerReview, isReview } from "../auth/reviews.ts";
import { issueToken } from "../auth/token-request.ts";
import type { TokenSigner } from "../auth/tokens.ts";
import type { ApiRequest, ApiResponse } from "../http/messages.ts";
import type { RequestInfo, ResourceTarget } from "../http/request-info.ts";
import type { UserInfo } from "../options.ts";
import { isStored } from "../resources/builtin.ts";
import { readAs, type ServedResource } from "../resources/resource.ts";
import { asObject, parseBody } from "./body.ts";
import { type Call, type Core, storedObject } from "./call.ts";
import { connectionOf } from "./connect.ts";
import { create } from "./create.ts";
import { decodeBody } from "./decode.ts";
import { remove, removeCollection } from "./delete.ts";
import { finalizeView } from "./finalize.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { patch } from "./patch.ts";
import { readPodLog } from "./pod-log.ts";
import { bindPod, evictPod } from "./pod-subresources.ts";
import { encode, respondError, respondObject } from "./respond.ts";
import { scaleView } from "./scale.ts";
import { update } from "./update.ts";
import { identityView, statusView, type View } from "./view.ts";
import { watch } from "./watch.ts";
import { parseWriteOptions } from "./write-options.ts";

/** What answers to requests about resources need. */
export interface ResourceRouter {
  readonly core: Core;
  readonly identities: Identities;
  readonly signer: TokenSigner;
  readonly authorize: Authorizer;
}

/** Answers a request about a resource. Throws 404 for a resource that is not served. */
export async function routeResource(
  router: ResourceRouter,
  request: ApiRequest,
  { info, user }: { readonly info: RequestInfo; readonly user: UserInfo },
): Promise<ApiResponse> {
  const { target } = info;
  const { core } = router;
  const resource = target === undefined ? undefined : core.registry.find(target.group, target.version, target.resource);
  if (target === undefined || resource === undefined) throw apiError.noRoute();
  const call: Call = {
    core,
    request,
    target: inScope(target, resource),
    resource,
    user,
    now: core.clock.now(),
    warnings: deprecationOf(resource),
  };
  try {
    return await answerCall(router, call, info.verb);
  } catch (error) {
    // What was warned of before the refusal is said with it.
    if (error instanceof ApiError && call.warnings.length > 0) return respondError(error, call.warnings);
    throw error;
  }
}

async function answerCall(router: ResourceRouter, call: Call, verb: string): Promise<ApiResponse> {
  const { resource, target } = call;
  if (isReview(resource.plural) && target.subresource === "") return review(router, call);
  if (!isStored(resource)) throw apiError.methodNotAllowed();
  return target.subresource === "" ? answer(call, verb) : answerSubresource(router, call, verb);
}

function deprecationOf({ custom, collection }: ServedResource): string[] {
  const warning = custom?.deprecation ?? deprecations.get(collection);
  return warning === undefined ? [] : [warning];
}

/** Warnings of resources that have a successor. */
const deprecations = new Map([
  ["/endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
]);

/** A namespace is its own object: `/api/v1/namespaces/x` names it, it does not lie in it. */
function inScope(target: ResourceTarget, resource: ServedResource): ResourceTarget {
  if (resource.namespaced) return target;
  if (resource.collection === "/namespaces") return { ...target, namespace: "" };
  if (target.namespace !== "") throw apiError.noRoute();
  return target;
}

type Answer = (call: Call, view?: View) => ApiResponse | Promise<ApiResponse>;

const ofObjects: Readonly<Record<string, Answer>> = { get, update, patch, delete: remove };
const ofCollections: Readonly<Record<string, Answer>> = {
  list,
  watch,
  create,
  deletecollection: removeCollection,
};

async function answer(call: Call, verb: string): Promise<ApiResponse> {
  const { resource, target } = call;
  const handler = target.name === "" || verb === "watch" ? ofCollections[verb] : ofObjects[verb];
  const needsNamespace = resource.namespaced && target.namespace === "" && verb !== "list" && verb !== "watch";
  if (handler === undefined || needsNamespace || !resource.verbs.includes(verb)) {
    throw apiError.methodNotAllowed();
  }
  return handler(call);
}

const views: Readonly<Record<string, View>> = {
  status: statusView,
  scale: scaleView,
  finalize: finalizeView,
  ephemeralcontainers: identityView,
  resize: identityView,
  approval: identityView,
};

type PostHandler = (router: ResourceRouter, call: Call) => ApiResponse | Promise<ApiResponse>;

/** POSTs to subresources of built-in kinds. */
const posts: Readonly<Record<string, PostHandler>> = {
  "/serviceaccounts/token": requestToken,
  "/pods/eviction": (_router, call) => evictPod(call),
  "/pods/binding": (_router, call) => bindPod(call),
};

async function answerSubresource(router: ResourceRouter, call: Call, verb: string): Promise<ApiResponse> {
  const { resource, target } = call;
  const name = target.subresource;
  const connect = connectionOf(call);
  if (connect !== undefined) return connect(call);
  if (verb === "create") return post(router, call);
  if (resource.collection === "/pods" && name === "log" && verb === "get") return readPodLog(call);
  const served = resource.subresources.get(name);
  const view = views[name];
  if (served === undefined || view === undefined) throw apiError.noRoute();
  if (!served.verbs.includes(verb)) throw apiError.methodNotAllowed();
  const handler = ofObjects[verb];
  if (handler === undefined) throw apiError.methodNotAllowed();
  return handler(call, view);
}

async function post(router: ResourceRouter, call: Call): Promise<ApiResponse> {
  const { resource, target, core, request, user } = call;
  const handlers = core.extensions.get(resource.collection)?.subresources ?? {};
  const extended = Object.hasOwn(handlers, target.subresource) ? handlers[target.subresource] : undefined;
  if (extended !== undefined) {
    const { dryRun } = parseWriteOptions(request, "CreateOptions");
    const object = readAs(resource, storedObject(call));
    return encode(201, await extended({ object, body: asObject(parseBody(request).value), user, dryRun }));
  }
  const handler = posts[`${resource.collection}/${target.subresource}`];
  if (handler === undefined) {
    throw resource.subresources.has(target.subresource) ? apiError.methodNotAllowed() : apiError.noRoute();
  }
  return handler(router, call);
}

function requestToken({ signer }: ResourceRouter, call: Call): ApiResponse {
  const account = storedObject(call);
  const body = asObject(parseBody(call.request).value);
  return encode(201, issueToken(body, account, { store: call.core.store, signer, now: call.now }));
}

function review({ identities, authorize }: ResourceRouter, call: Call): ApiResponse {
  const { resource, request, target, user, core } = call;
  if (request.method !== "POST") throw apiError.methodNotAllowed();
  const body: AnyObject = decodeBody(call, parseWriteOptions(request, "CreateOptions"));
  const context = { ...identities, store: core.store, authorize, user, namespace: target.namespace };
  return respondObject(call, 201, answerReview(resource.plural, body, context));
}
