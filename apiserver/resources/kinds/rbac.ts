import type { AnyObject } from "@kyma-operators/kube";
import { type FieldProblem, fieldProblem } from "../../api-error.ts";
import type { Strategy } from "../resource.ts";
import { all, type Check, fields, items, needs, oneOf, problemsOf, subdomain } from "./checks.ts";
import { type Fields, listAt, valueAt } from "./edit.ts";

const role: Partial<Strategy> = { validate: validateRules };
const binding: Partial<Strategy> = { validate: validateBinding };

/** Rules have to say something; bindings name a role for ever. */
export const rbacStrategies: Readonly<Record<string, Partial<Strategy>>> = {
  "rbac.authorization.k8s.io/roles": role,
  "rbac.authorization.k8s.io/clusterroles": role,
  "rbac.authorization.k8s.io/rolebindings": binding,
  "rbac.authorization.k8s.io/clusterrolebindings": binding,
};

const group = "rbac.authorization.k8s.io";
const isPerson = (value: Fields): boolean => value.kind === "User" || value.kind === "Group";
const subjectFields: Check = (value, path, problems) => {
  const { kind, apiGroup } = value as Fields;
  if (isPerson(value as Fields)) oneOf(group)(apiGroup, `${path}.apiGroup`, problems);
  else if (kind !== "ServiceAccount") oneOf("ServiceAccount", "User", "Group")(kind, `${path}.kind`, problems);
  else fields({ name: subdomain })(value, path, problems);
};
const bindingFields = fields({
  roleRef: fields({ apiGroup: oneOf(group) }),
  subjects: items(all(needs(["name"]), subjectFields)),
});

const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

function validateRules(object: AnyObject): readonly FieldProblem[] {
  return listAt(object, "rules").flatMap((rule, index) => [
    ...validateRule(rule, `rules[${index}]`),
    ...(object.kind === "Role" ? validateUrls(rule, `rules[${index}].nonResourceURLs`) : []),
  ]);
}

function validateUrls({ nonResourceURLs }: Fields, path: string): readonly FieldProblem[] {
  const detail = "namespaced rules cannot apply to non-resource URLs";
  return isEmpty(nonResourceURLs) ? [] : [fieldProblem("FieldValueInvalid", path, detail, nonResourceURLs)];
}

function validateRule({ verbs, apiGroups, resources, nonResourceURLs }: Fields, path: string): readonly FieldProblem[] {
  const need = (value: unknown, field: string, detail: string): readonly FieldProblem[] =>
    isEmpty(value) ? [fieldProblem("FieldValueRequired", `${path}.${field}`, detail)] : [];
  const own = need(verbs, "verbs", "verbs must contain at least one value");
  if (!isEmpty(nonResourceURLs)) return own;
  return [
    ...own,
    ...need(apiGroups, "apiGroups", "resource rules must supply at least one api group"),
    ...need(resources, "resources", "resource rules must supply at least one resource"),
  ];
}

function validateBinding(next: AnyObject, old: AnyObject | undefined): readonly FieldProblem[] {
  const kind = valueAt(next, "roleRef", "kind");
  const kinds = next.kind === "RoleBinding" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const supported = kinds.map((text) => JSON.stringify(text)).join(", ");
  const isChanged =
    old !== undefined &&
    ["kind", "name"].some((field) => valueAt(old, "roleRef", field) !== valueAt(next, "roleRef", field));
  return [
    ...(typeof kind === "string" && kinds.includes(kind)
      ? []
      : [
          {
            reason: "FieldValueNotSupported",
            field: "roleRef.kind",
            message: `Unsupported value: ${JSON.stringify(kind ?? "")}: supported values: ${supported}`,
          },
        ]),
    ...((valueAt(next, "roleRef", "name") ?? "") === ""
      ? [fieldProblem("FieldValueRequired", "roleRef.name", "")]
      : []),
    ...problemsOf(bindingFields, next, ""),
    ...(isChanged ? [fieldProblem("FieldValueInvalid", "roleRef", "cannot change roleRef", next.roleRef)] : []),
  ];
}
