import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Client } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { FakeClock } from "../../../testing/index.ts";
import { ActingTokens, actingAccountOf, withToken } from "./impersonation.ts";

describe("acting as a ServiceAccount", () => {
  const manifest = (account: string): Manifest => ({
    apiVersion: "operator.kyma-project.io/v1beta2",
    kind: "Manifest",
    metadata: { annotations: { "operator.kyma-project.io/service-account": account } },
    spec: { remote: false, install: { name: "x", source: {} } },
  });

  test("the account is namespace and name, anything else is refused", () => {
    deepEqual(actingAccountOf(manifest("kyma-system/installer")), { namespace: "kyma-system", name: "installer" });
    for (const text of ["installer", "a/b/c", "../x/y", "A/b", ""]) {
      throws(() => actingAccountOf(manifest(text)), { code: "MANIFEST_ANNOTATION_INVALID" });
    }
  });

  test("many who ask at once get one token", async () => {
    let asked = 0;
    const createSubresource = async () => {
      asked += 1;
      return { status: { token: `token-${asked}` } };
    };
    const tokens = new ActingTokens(new FakeClock());
    const get = () => tokens.get("one", { createSubresource } as unknown as Client, { namespace: "a", name: "b" });
    const given = await Promise.all([get(), get(), get()]);

    deepEqual([asked, new Set(given.map(({ token }) => token)).size], [1, 1]);
  });

  test("the token is the only credential that is left of our own access", () => {
    const own = {
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user: "admin" } }],
      clusters: [{ name: "k", cluster: { server: "https://k.example.org" } }],
      users: [{ name: "admin", user: { token: "own-token" } }],
    };
    const acting = withToken(JSON.stringify(own), "acting-token");

    equal(acting.includes("own-token"), false);
    deepEqual((parseYaml(acting) as { users: unknown }).users, [{ name: "acting", user: { token: "acting-token" } }]);
  });
});
