import { randomInt, randomUUID } from "node:crypto";
import type { AnyObject, ObjectMeta } from "@kyma-operators/kube";
import { ApiError, apiError } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { generatedName } from "../resources/names.ts";
import { complete, readAs, storeAs, subjectOf } from "../resources/resource.ts";
import { timestamp } from "../system-clock.ts";
import { type Call, keyOf, strategyContext } from "./call.ts";
import { decodeBody } from "./decode.ts";
import { ensureNamespace } from "./namespace-guard.ts";
import { type Tracker, trackUpdate } from "./ownership.ts";
import { respondObject } from "./respond.ts";
import { validateNew } from "./validate.ts";
import { parseWriteOptions, type WriteOptions } from "./write-options.ts";

const nameAttempts = 8;

/** POST of a collection. */
export async function create(call: Call): Promise<ApiResponse> {
  const options = parseWriteOptions(call.request, "CreateOptions");
  const created = await createObject(call, decodeBody(call, options), { ...options, track: trackUpdate });
  return respondObject(call, 201, created);
}

/** Admits, validates and stores a decoded object; what it returns is in the version of the call. */
export async function createObject(
  call: Call,
  input: AnyObject,
  options: WriteOptions & { readonly track: Tracker },
): Promise<AnyObject> {
  ensureNamespace(call, input.metadata.name);
  const { core, resource, target, user } = call;
  const admission = {
    operation: "CREATE",
    resource,
    namespace: target.namespace,
    name: input.metadata.name ?? "",
    subresource: "",
    user,
    dryRun: options.dryRun,
    warn: (text: string) => call.warnings.push(text),
  } as const;
  const begun = withSystemMetadata(call, input);
  const tracked = options.track(call, { next: begun, old: undefined, options });
  const admitted = await core.admission.mutate({ ...admission, object: tracked });
  // Who owns what is on record before admission and the kind's own rules add theirs.
  const object = prepare(call, withName(call, admitted));
  validateNew(call, object);
  await core.admission.validate({ ...admission, name: object.metadata.name ?? "", object });
  return options.dryRun ? refuseExisting(call, object) : store(call, object);
}

/** What no client chooses. Throws 400 for a resource version and for another namespace than the path's. */
function withSystemMetadata(call: Call, input: AnyObject): AnyObject {
  const { resource, target, now } = call;
  const { metadata } = input;
  if ((metadata.resourceVersion ?? "") !== "" && metadata.resourceVersion !== "0") {
    const message = "resourceVersion should not be set on objects to be created";
    throw new ApiError({ code: 500, reason: "", message });
  }
  if (resource.namespaced && (metadata.namespace ?? "") !== "" && metadata.namespace !== target.namespace) {
    throw apiError.badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  return {
    ...input,
    metadata: {
      ...withoutSystemFields(metadata),
      ...(resource.namespaced ? { namespace: target.namespace } : {}),
      uid: randomUUID(),
      creationTimestamp: timestamp(now),
      ...(resource.strategy.raisesGeneration === undefined ? {} : { generation: 1 }),
    },
  };
}

const systemFields = new Set([
  "resourceVersion",
  "selfLink",
  "namespace",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
]);

function withoutSystemFields(metadata: ObjectMeta): ObjectMeta {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !systemFields.has(name)));
}

function withName(call: Call, object: AnyObject): AnyObject {
  const { name, generateName } = object.metadata;
  if ((name ?? "") !== "" || (generateName ?? "") === "") return object;
  for (let attempt = 1; ; attempt += 1) {
    const generated = generatedName(generateName ?? "", (limit) => randomInt(limit));
    const taken = call.core.store.get(keyOf(call, generated)) !== undefined;
    if (!taken || attempt === nameAttempts) return { ...object, metadata: { ...object.metadata, name: generated } };
  }
}

function prepare(call: Call, object: AnyObject): AnyObject {
  const { strategy } = call.resource;
  const { status: _, ...withoutStatus } = object;
  const cleared = strategy.hasStatus && object.status !== undefined ? withoutStatus : object;
  const prepared = strategy.prepareCreate?.(cleared, strategyContext(call)) ?? cleared;
  return complete(call.resource, prepared);
}

function refuseExisting(call: Call, object: AnyObject): AnyObject {
  const name = object.metadata.name ?? "";
  if (call.core.store.get(keyOf(call, name)) === undefined) return object;
  throw apiError.alreadyExists(subjectOf(call.resource, name));
}

function store(call: Call, object: AnyObject): AnyObject {
  refuseExisting(call, object);
  // Admission may have waited: the namespace can be gone by now.
  ensureNamespace(call);
  const { resource, core } = call;
  return readAs(resource, core.store.put(keyOf(call, object.metadata.name), storeAs(resource, object)).object);
}
