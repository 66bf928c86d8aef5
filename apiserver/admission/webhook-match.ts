import type { AnyObject } from "@kyma-operators/kube";
import { compileLabelSelector, type LabelSelectorObject } from "../selectors/label-selector.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { MatchCondition } from "./match-conditions.ts";

/** One rule of a webhook: which writes it wants to see. */
export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

/** One webhook of a configuration, with its defaults. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
    readonly caBundle?: string;
  };
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: string;
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
  readonly matchConditions?: readonly MatchCondition[];
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly reinvocationPolicy?: string;
}

/** Whether a webhook wants to see a write, its conditions aside. */
export function wants(webhook: Webhook, request: AdmissionRequest, store: Store): boolean {
  return (
    (webhook.rules ?? []).some((rule) => matchesRule(rule, request)) &&
    selectsNamespace(webhook.namespaceSelector, request, store) &&
    selectsObject(webhook.objectSelector, request)
  );
}

const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes("*") || list.includes(value));

export function matchesRule(rule: WebhookRule, { operation, resource, subresource }: AdmissionRequest): boolean {
  const scope = resource.namespaced ? "Namespaced" : "Cluster";
  return (
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.scope === undefined || rule.scope === "*" || rule.scope === scope) &&
    (rule.resources ?? []).some((wanted) => matchesResource(wanted, resource.plural, subresource))
  );
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*` with a subresource. */
function matchesResource(wanted: string, plural: string, subresource: string): boolean {
  const [resource, below = ""] = wanted.split("/");
  return (
    (resource === "*" || resource === plural) && (below === subresource || (below === "*" && wanted.includes("/")))
  );
}

export function selectsNamespace(
  selector: LabelSelectorObject | undefined,
  request: AdmissionRequest,
  store: Store,
): boolean {
  const isNamespace = request.resource.collection === "/namespaces";
  if (!request.resource.namespaced && !isNamespace) return true;
  const name = isNamespace ? request.name : request.namespace;
  const stored = store.get({ collection: "/namespaces", namespace: "", name })?.object;
  const labels = (isNamespace ? request.object : stored)?.metadata.labels;
  return compileLabelSelector(selector)(labels);
}

export function selectsObject(
  selector: LabelSelectorObject | undefined,
  { object, oldObject }: AdmissionRequest,
): boolean {
  const matches = compileLabelSelector(selector);
  const labelsOf = (candidate: AnyObject | undefined): Readonly<Record<string, string>> | undefined =>
    candidate?.metadata.labels;
  return matches(labelsOf(object)) || (oldObject !== undefined && matches(labelsOf(oldObject)));
}
