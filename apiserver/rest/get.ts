import { apiError } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { apiVersionOf, readAs, subjectOf } from "../resources/resource.ts";
import { type Call, keyOf, storedObject } from "./call.ts";
import { parseReadVersion, tooLargeVersion } from "./resource-version.ts";
import { encode, representationFor, respondObject } from "./respond.ts";
import { identityView, type View } from "./view.ts";

/** GET of an object or of one of its views. */
export function get(call: Call, view: View = identityView): ApiResponse {
  const { resource, request } = call;
  const { as, format } = representationFor(call);
  refuseFutureVersion(parseReadVersion(request.query.get("resourceVersion")), call.core.store.revision);
  if (view !== identityView) return respondObject(call, 200, view.read(readAs(resource, storedObject(call)), resource));
  const stored = call.core.store.get(keyOf(call));
  if (stored === undefined) throw apiError.notFound(subjectOf(resource, call.target.name));
  // The usual read costs no serialization: the text is kept with the object.
  const isPlain = as === "" && format === "json" && isStoredForm(stored.object.apiVersion, call);
  return isPlain
    ? encode(200, stored.json(), { warnings: call.warnings })
    : respondObject(call, 200, readAs(resource, stored.object));
}

/** A client that waits for a later state than there is has to ask again. Throws 504. */
function refuseFutureVersion(wanted: number | undefined, current: number): void {
  if (wanted !== undefined && wanted > current) throw tooLargeVersion(wanted, current);
}

/** Whether the stored text is what this version shows. */
export function isStoredForm(apiVersion: string, { resource }: Pick<Call, "resource">): boolean {
  return resource.fromStorage === undefined && apiVersion === apiVersionOf(resource);
}
