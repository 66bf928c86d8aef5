import type { AnyObject } from "@kyma-operators/kube";
import { apiError, fieldProblem } from "../api-error.ts";
import { isFields, textAt, valueAt } from "../resources/kinds/edit.ts";
import type { Store } from "../storage/store.ts";
import { timestamp } from "../system-clock.ts";
import { issuer, type TokenClaims, type TokenSigner } from "./tokens.ts";

const shortestSeconds = 600;
const longestSeconds = 1 << 30;
const bindable: Readonly<Record<string, string>> = { Pod: "/pods", Secret: "/secrets", Node: "/nodes" };

/** POST of `serviceaccounts/<name>/token`: the TokenRequest with a token in its status. */
export function issueToken(
  request: AnyObject,
  account: AnyObject,
  { store, signer, now }: { readonly store: Store; readonly signer: TokenSigner; readonly now: number },
): AnyObject {
  const spec = isFields(request.spec) ? request.spec : {};
  const seconds = typeof spec.expirationSeconds === "number" ? spec.expirationSeconds : 3600;
  checkSeconds(seconds);
  const audiences = Array.isArray(spec.audiences) && spec.audiences.length > 0 ? spec.audiences.map(String) : [issuer];
  const { name = "", namespace = "", uid = "" } = account.metadata;
  const expiresAt = Math.floor(now / 1000) + seconds;
  const bound = boundObject(spec.boundObjectRef, namespace, store);
  const claims: TokenClaims = {
    namespace,
    serviceAccount: { name, uid },
    audiences,
    expiresAt,
    ...(bound === undefined ? {} : { bound }),
  };
  return {
    ...request,
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, creationTimestamp: timestamp(now) },
    spec: { ...spec, audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token: signer.issue(claims, now), expirationTimestamp: timestamp(expiresAt * 1000) },
  };
}

function checkSeconds(seconds: number): void {
  if (seconds >= shortestSeconds && seconds <= longestSeconds) return;
  const detail =
    seconds < shortestSeconds
      ? "may not specify a duration less than 10 minutes"
      : "may not specify a duration larger than 2^32 seconds";
  const subject = { resource: "", kind: "TokenRequest", group: "authentication.k8s.io", name: "" };
  throw apiError.invalid(subject, [fieldProblem("FieldValueInvalid", "spec.expirationSeconds", detail, seconds)]);
}

function boundObject(reference: unknown, namespace: string, store: Store): TokenClaims["bound"] {
  if (!isFields(reference)) return undefined;
  const kind = String(reference.kind);
  const name = textAt(reference, "name");
  const collection = bindable[kind];
  if (collection === undefined) throw apiError.badRequest(`cannot bind token to object of type ${kind}`);
  const stored = store.get({ collection, namespace: kind === "Node" ? "" : namespace, name });
  const uid = valueAt(stored?.object, "metadata", "uid");
  if (typeof uid !== "string") {
    throw apiError.notFound({ resource: collection.slice(1), kind, group: "", name });
  }
  return { kind: kind as "Pod", name, uid };
}
