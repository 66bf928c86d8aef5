import type { LabelSelectorObject } from "../selectors/label-selector.ts";
import type { MatchCondition } from "./match-conditions.ts";
import type { WebhookRule } from "./webhook-match.ts";

/** Which writes a policy or a binding is about. */
export interface MatchResources {
  readonly resourceRules?: readonly NamedRule[];
  readonly excludeResourceRules?: readonly NamedRule[];
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
}

export interface NamedRule extends WebhookRule {
  readonly resourceNames?: readonly string[];
}

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** `spec` of a ValidatingAdmissionPolicy. */
export interface PolicySpec {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations?: readonly Validation[];
  readonly failurePolicy?: string;
}

/** `spec` of a ValidatingAdmissionPolicyBinding. */
export interface BindingSpec {
  readonly policyName: string;
  readonly paramRef?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly selector?: LabelSelectorObject;
    readonly parameterNotFoundAction?: string;
  };
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly string[];
}
