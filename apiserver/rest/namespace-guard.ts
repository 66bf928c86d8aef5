import { ApiError, apiError } from "../api-error.ts";
import { subjectOf } from "../resources/resource.ts";
import type { Call } from "./call.ts";

/** Refuses to create in a namespace that is absent (404) or goes away (403). */
export function ensureNamespace({ core, resource, target }: Call, name = target.name): void {
  if (!resource.namespaced) return;
  const { namespace } = target;
  const stored = core.store.get({ collection: "/namespaces", namespace: "", name: namespace });
  if (stored === undefined) {
    throw apiError.notFound({ resource: "namespaces", kind: "Namespace", group: "", name: namespace });
  }
  if (stored.object.metadata.deletionTimestamp === undefined) return;
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refused = apiError.forbidden(subjectOf(resource, name), message);
  throw new ApiError({
    code: refused.code,
    reason: refused.reason,
    message: refused.message,
    details: {
      ...refused.details,
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    },
  });
}
