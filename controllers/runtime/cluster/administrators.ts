import { createHash } from "node:crypto";
import type { AnyObject } from "@kyma-operators/kube";
import { infrastructureManager, labels } from "../../../apis/infrastructure/index.ts";

/** Writes that make exactly these users administrators, as far as bindings of ours say so. */
export interface AdministratorPlan {
  readonly create: readonly AnyObject[];
  /** Names. */
  readonly remove: readonly string[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
}

/**
 * Compares the administrators of a Runtime with the bindings of ours on its cluster.
 *
 * Bindings of others, of other roles and for service accounts are never touched. Those with generated names, from the
 * original, count like our own.
 *
 * @param bindings - ClusterRoleBindings; those without our label are ignored.
 */
export function planAdministrators(
  administrators: readonly string[],
  bindings: readonly AnyObject[],
): AdministratorPlan {
  const wanted = new Set(administrators);
  const own = bindings.filter(isOurs);
  const bound = new Set(own.flatMap(usersOf));
  return {
    create: [...wanted].filter((user) => !bound.has(user)).map(bindingFor),
    remove: own
      .filter((binding) => !usersOf(binding).some((user) => wanted.has(user)))
      .map(({ metadata }) => metadata.name ?? ""),
  };
}

function isOurs(binding: AnyObject): boolean {
  const role = binding["roleRef"] as { readonly kind?: string; readonly name?: string } | undefined;
  const isAdmin = role?.kind === "ClusterRole" && role.name === "cluster-admin";
  return (
    binding.metadata.labels?.[labels.bindingManagedBy] === infrastructureManager &&
    isAdmin &&
    usersOf(binding).length > 0
  );
}

function usersOf(binding: AnyObject): readonly string[] {
  const subjects = (binding["subjects"] ?? []) as readonly Subject[];
  return subjects.filter(({ kind }) => kind === "User").map(({ name }) => name);
}

/** The name follows from the user, so that two passes at once can't bind one twice. */
function bindingFor(user: string): AnyObject {
  const hash = createHash("sha256").update(user).digest("hex").slice(0, 16);
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `kim-admin-${hash}`, labels: { [labels.bindingManagedBy]: infrastructureManager } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  };
}
