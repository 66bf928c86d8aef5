import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import type { Inputs } from "@kyma-operators/schema";
import { ApiError, apiError } from "../api-error.ts";
import type { Registry } from "../resources/registry.ts";
import { readAs, subjectOf } from "../resources/resource.ts";
import { compileLabelSelector } from "../selectors/label-selector.ts";
import type { Store } from "../storage/store.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { conditionsHold } from "./match-conditions.ts";
import { type Objection, objectionsOf } from "./policy-evaluation.ts";
import type { BindingSpec, MatchResources, PolicySpec } from "./policy-types.ts";
import { reviewInputs } from "./review-request.ts";
import { matchesRule, selectsNamespace, selectsObject } from "./webhook-match.ts";

const group = "admissionregistration.k8s.io";
const codes: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

/** Admission by the ValidatingAdmissionPolicies of the cluster, wherever a binding puts them into force. */
export function policyAdmission(store: Store, registry: Registry): Admission {
  const policies = new Policies(store, registry);
  return {
    mutate: (request) => Promise.resolve(request.object),
    validate: (request) => {
      if (request.resource.group !== group) policies.validate(request);
      return Promise.resolve();
    },
  };
}

/** A policy that is in force for a write. */
interface InForce {
  readonly name: string;
  readonly policy: PolicySpec;
  readonly bindingName: string;
  readonly binding: BindingSpec;
}

class Policies {
  readonly #store: Store;
  readonly #registry: Registry;

  constructor(store: Store, registry: Registry) {
    this.#store = store;
    this.#registry = registry;
  }

  /** Warns of what bindings only warn of; throws for the first objection that denies. */
  validate(request: AdmissionRequest): void {
    const denials: ApiError[] = [];
    for (const inForce of this.#inForce(request)) {
      for (const objection of this.#objections(inForce, request)) {
        const { name, bindingName, binding } = inForce;
        const actions = binding.validationActions ?? [];
        const where = `ValidatingAdmissionPolicy '${name}' with binding '${bindingName}'`;
        if (actions.includes("Warn")) request.warn(`Validation failed for ${where}: ${objection.message}`);
        if (actions.includes("Deny")) denials.push(denial(request, where, objection));
      }
    }
    const [first] = denials;
    if (first !== undefined) throw first;
  }

  #inForce(request: AdmissionRequest): readonly InForce[] {
    const bindings = this.#store.list(`${group}/validatingadmissionpolicybindings`);
    return bindings.flatMap(({ object }) => {
      const binding = object.spec as BindingSpec;
      const key = { collection: `${group}/validatingadmissionpolicies`, namespace: "", name: binding.policyName };
      const policy = this.#store.get(key)?.object.spec as PolicySpec | undefined;
      if (policy === undefined || !this.#matches(policy.matchConstraints, request)) return [];
      if (binding.matchResources !== undefined && !this.#matches(binding.matchResources, request, true)) return [];
      return [{ name: binding.policyName, policy, bindingName: object.metadata.name ?? "", binding }];
    });
  }

  /** @param isOpen - whether no rules at all means everything, as in a binding */
  #matches(resources: MatchResources = {}, request: AdmissionRequest, isOpen = false): boolean {
    const { resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector } = resources;
    const fits = (rules: MatchResources["resourceRules"] = []): boolean =>
      rules.some((rule) => {
        const { resourceNames = [] } = rule;
        return matchesRule(rule, request) && (resourceNames.length === 0 || resourceNames.includes(request.name));
      });
    return (
      (fits(resourceRules) || (isOpen && resourceRules.length === 0)) &&
      !fits(excludeResourceRules) &&
      selectsNamespace(namespaceSelector, request, this.#store) &&
      selectsObject(objectSelector, request)
    );
  }

  #objections({ policy, binding }: InForce, request: AdmissionRequest): readonly Objection[] {
    try {
      const params = this.#paramsOf(policy, binding, request);
      return params.flatMap((param) => this.#judge(policy, this.#inputs(request, param)));
    } catch (error) {
      if (policy.failurePolicy === "Ignore") return [];
      return [{ message: textOf(error), reason: "Invalid" }];
    }
  }

  #judge(policy: PolicySpec, inputs: Inputs): readonly Objection[] {
    return conditionsHold(policy.matchConditions ?? [], inputs) ? objectionsOf(policy, inputs) : [];
  }

  #inputs(request: AdmissionRequest, params: AnyObject | null): Inputs {
    const namespace = request.namespace === "" ? undefined : this.#namespace(request.namespace);
    return { ...reviewInputs(request), params, namespaceObject: namespace ?? null };
  }

  #namespace(name: string): AnyObject | undefined {
    return this.#store.get({ collection: "/namespaces", namespace: "", name })?.object;
  }

  /** The parameters that the policy is evaluated with, each by itself; one null for a policy without parameters. */
  #paramsOf(
    { paramKind }: PolicySpec,
    { paramRef }: BindingSpec,
    { namespace }: AdmissionRequest,
  ): readonly (AnyObject | null)[] {
    if (paramKind === undefined || paramRef === undefined) return [null];
    const resource = this.#registry.byKind(paramKind.apiVersion, paramKind.kind);
    if (resource === undefined)
      throw new Error(
        `failed to configure policy: failed to find resource referenced by paramKind: '${paramKind.apiVersion}, Kind=${paramKind.kind}'`,
      );
    const place = resource.namespaced ? (paramRef.namespace ?? namespace) : "";
    const matches = compileLabelSelector(paramRef.selector);
    const found = this.#store
      .list(resource.collection, place)
      .map(({ object }) => readAs(resource, object))
      .filter(({ metadata }) =>
        paramRef.name === undefined ? matches(metadata.labels) : metadata.name === paramRef.name,
      );
    if (found.length === 0 && paramRef.parameterNotFoundAction !== "Allow")
      throw new Error(
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
      );
    return found;
  }
}

function denial({ resource, name }: AdmissionRequest, where: string, { message, reason }: Objection): ApiError {
  const text = `${where} denied request: ${message}`;
  const forbidden = apiError.forbidden(subjectOf(resource, name), text);
  return new ApiError({
    code: codes[reason] ?? 422,
    reason,
    message: forbidden.message,
    details: { ...forbidden.details, causes: [{ message: text }] },
  });
}
