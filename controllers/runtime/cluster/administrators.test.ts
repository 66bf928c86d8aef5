import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { planAdministrators } from "./administrators.ts";

const ours = { "reconciler.kyma-project.io/managed-by": "infrastructure-manager" };

interface Binding {
  readonly labels?: Record<string, string>;
  readonly kind?: string;
  readonly role?: { readonly kind: string; readonly name: string };
}

function binding(
  name: string,
  user: string,
  { labels = ours, kind = "User", role = { kind: "ClusterRole", name: "cluster-admin" } }: Binding = {},
): AnyObject {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name, labels },
    roleRef: role,
    subjects: [{ kind, name: user }],
  };
}

const usersOf = (bindings: readonly AnyObject[]): readonly string[] =>
  bindings.flatMap(({ subjects }) => (subjects as { name: string }[]).map(({ name }) => name));

describe("planAdministrators", () => {
  test("S6: binds each administrator that has no binding of ours", () => {
    deepEqual(usersOf(planAdministrators(["a", "b"], []).create), ["a", "b"]);
    deepEqual(planAdministrators(["a", "b"], [binding("admin-x1", "a"), binding("admin-x2", "b")]).create, []);
    deepEqual(planAdministrators([], []).create, []);
  });

  test("S7: removes exactly the binding of whoever was dropped", () => {
    deepEqual(planAdministrators(["a"], []).remove, []);
    deepEqual(planAdministrators(["a"], [binding("x", "a")]).remove, []);
    deepEqual(planAdministrators(["a"], [binding("x", "a"), binding("y", "b")]).remove, ["y"]);
    deepEqual(planAdministrators([], [binding("x", "a"), binding("y", "b")]).remove, ["x", "y"]);
  });

  const foreign: readonly (readonly [string, AnyObject])[] = [
    ["the reconciler's", binding("f", "b", { labels: { "reconciler.kyma-project.io/managed-by": "reconciler" } })],
    ["one without labels", binding("f", "b", { labels: {} })],
    ["one with other labels", binding("f", "b", { labels: { team: "x" } })],
    ["a service account's", binding("f", "b", { kind: "ServiceAccount" })],
    ["one of another role", binding("f", "b", { role: { kind: "ClusterRole", name: "view" } })],
    ["one of a Role", binding("f", "b", { role: { kind: "Role", name: "cluster-admin" } })],
  ];
  for (const [name, object] of foreign) {
    test(`S8: never removes ${name}`, () => {
      deepEqual(planAdministrators(["a"], [object]).remove, []);
    });
  }

  test("S9: of a mixture only ours go", () => {
    const bindings = [...foreign.map(([, object]) => object), binding("mine", "b"), binding("kept", "a")];
    deepEqual(planAdministrators(["a"], bindings).remove, ["mine"]);
  });

  test("two passes at once name the binding of a user alike", () => {
    const nameOf = (user: string): string | undefined => planAdministrators([user], []).create[0]?.metadata.name;
    equal(nameOf("a@example.test"), nameOf("a@example.test"));
    equal(nameOf("a@example.test") === nameOf("b@example.test"), false);
    equal(/^kim-admin-[0-9a-f]{16}$/.test(nameOf("a@example.test") ?? ""), true);
  });
});
