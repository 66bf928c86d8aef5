import { randomUUID } from "node:crypto";
import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { ApiError, apiError } from "../api-error.ts";
import { isFields, textAt, valueAt } from "../resources/kinds/edit.ts";
import { equal, subjectOf } from "../resources/resource.ts";
import { decodeObject } from "../rest/decode.ts";
import { applyJsonPatch } from "../rest/json-patch.ts";
import type { Store } from "../storage/store.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { conditionsHold } from "./match-conditions.ts";
import { admissionReview, reviewInputs } from "./review-request.ts";
import type { WebhookClient } from "./webhook-client.ts";
import { type Webhook, wants } from "./webhook-match.ts";

const group = "admissionregistration.k8s.io";

interface Verdict {
  readonly allowed: boolean;
  /** Base64 of a JSON Patch. */
  readonly patch: string | undefined;
  readonly status: unknown;
}

/** Admission by the webhook configurations of the cluster, in order of their names. */
export function webhookAdmission(store: Store, client: WebhookClient): Admission {
  const hooks = new Webhooks(store, client);
  return {
    mutate: (request) => (request.resource.group === group ? Promise.resolve(request.object) : hooks.mutate(request)),
    validate: (request) => (request.resource.group === group ? Promise.resolve() : hooks.validate(request)),
  };
}

class Webhooks {
  readonly #store: Store;
  readonly #client: WebhookClient;

  constructor(store: Store, client: WebhookClient) {
    this.#store = store;
    this.#client = client;
  }

  /** Asks each webhook in turn; those that wish so once more when a later one changed the object. */
  async mutate(request: AdmissionRequest): Promise<AnyObject> {
    const hooks = this.#hooks("mutatingwebhookconfigurations");
    let { object } = request;
    const seen = new Map<Webhook, AnyObject>();
    for (const hook of hooks) {
      if (!this.#applies(hook, { ...request, object })) continue;
      object = await this.#change(hook, { ...request, object });
      seen.set(hook, object);
    }
    for (const [hook, after] of seen) {
      if (hook.reinvocationPolicy !== "IfNeeded" || equal(after, object)) continue;
      object = await this.#change(hook, { ...request, object });
    }
    return object;
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const hooks = this.#hooks("validatingwebhookconfigurations").filter((hook) => this.#applies(hook, request));
    // The first that is against it decides, whoever that is.
    await Promise.all(hooks.map(async (hook) => refuse(hook.name, await this.#ask(hook, request))));
  }

  #hooks(plural: string): readonly Webhook[] {
    return this.#store
      .list(`${group}/${plural}`)
      .flatMap(({ object }) => (Array.isArray(object.webhooks) ? (object.webhooks as readonly Webhook[]) : []));
  }

  #applies(hook: Webhook, request: AdmissionRequest): boolean {
    if (!wants(hook, request, this.#store)) return false;
    try {
      return conditionsHold(hook.matchConditions ?? [], reviewInputs(request));
    } catch (error) {
      if (hook.failurePolicy === "Ignore") return false;
      throw apiError.forbidden(subjectOf(request.resource, request.name), textOf(error));
    }
  }

  async #change(hook: Webhook, request: AdmissionRequest): Promise<AnyObject> {
    const verdict = await this.#ask(hook, request);
    refuse(hook.name, verdict);
    if (verdict?.patch === undefined || request.operation === "DELETE") return request.object;
    const patch: unknown = JSON.parse(Buffer.from(verdict.patch, "base64").toString());
    return decodeObject(request.resource, applyJsonPatch(request.object, patch) as AnyObject).value;
  }

  /** `undefined` when the webhook can't be asked and its policy is to go on without it. */
  async #ask(hook: Webhook, request: AdmissionRequest): Promise<Verdict | undefined> {
    if (request.dryRun && hook.sideEffects !== "None" && hook.sideEffects !== "NoneOnDryRun") {
      throw apiError.badRequest(`admission webhook "${hook.name}" does not support dry run`);
    }
    const uid = randomUUID();
    try {
      const answer = await this.#client.call(hook, admissionReview(request, uid));
      return readVerdict(answer, uid, request);
    } catch (error) {
      if (hook.failurePolicy === "Ignore") return undefined;
      throw apiError.internal(`failed calling webhook "${hook.name}": ${textOf(error)}`, error);
    }
  }
}

function readVerdict(answer: unknown, uid: string, request: AdmissionRequest): Verdict {
  const response = valueAt(answer, "response");
  if (!isFields(response)) throw new Error("webhook response did not contain a response");
  if (response.uid !== uid) throw new Error(`expected response.uid="${uid}", got "${textAt(response, "uid")}"`);
  for (const warning of Array.isArray(response.warnings) ? response.warnings : []) request.warn(String(warning));
  return {
    allowed: response.allowed === true,
    patch: typeof response.patch === "string" && response.patch !== "" ? response.patch : undefined,
    status: response.status,
  };
}

/** Throws what the webhook says when it denies. */
function refuse(name: string, verdict: Verdict | undefined): void {
  if (verdict === undefined || verdict.allowed) return;
  const { message, reason, code } = isFields(verdict.status) ? verdict.status : {};
  const text = [message, reason].find((part) => typeof part === "string" && part !== "");
  const why = typeof text === "string" ? `: ${text}` : " without explanation";
  throw new ApiError({
    code: typeof code === "number" && code >= 400 ? code : 400,
    reason: typeof reason === "string" ? reason : "",
    message: `admission webhook "${name}" denied the request${why}`,
    ...(isFields(verdict.status) && isFields(verdict.status.details) ? { details: verdict.status.details } : {}),
  });
}
