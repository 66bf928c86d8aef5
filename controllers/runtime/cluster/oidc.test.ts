import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { AdditionalOidcConfig, Runtime } from "../../../apis/infrastructure/index.ts";
import { landscapeText, runtimeObject } from "../../../testing/index.ts";
import { parseLandscapeConfig } from "../shoot/index.ts";
import { planOidc } from "./oidc.ts";

const config = parseLandscapeConfig(landscapeText(), "converter_config.json");
const entry: AdditionalOidcConfig = {
  clientID: "c",
  issuerURL: "https://idp.example.test",
  groupsClaim: "groups",
  groupsPrefix: "g:",
  usernameClaim: "email",
  usernamePrefix: "u:",
  signingAlgs: ["ES256"],
  requiredClaims: { aud: "x" },
  jwks: "e30=",
};

function runtimeWith(...additionalOidcConfig: readonly AdditionalOidcConfig[]): Runtime {
  return runtimeObject({ shoot: { kubernetes: { kubeAPIServer: { additionalOidcConfig } } } }) as unknown as Runtime;
}

/** As a server returns it: with defaults. */
const stored = (object: AnyObject): AnyObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: "1" },
  spec: {
    ...(object["spec"] as object),
    jwks: { distributedClaims: true, ...(object["spec"] as { jwks?: object }).jwks },
  },
});
const namesOf = (objects: readonly AnyObject[]): readonly (string | undefined)[] =>
  objects.map(({ metadata }) => metadata.name);

describe("planOidc", () => {
  test("S2: without further providers the shared tenant is the only one", () => {
    const { create } = planOidc(runtimeWith(), config, []);
    deepEqual(namesOf(create), ["kyma-oidc-0"]);
    deepEqual(
      create.map(({ spec }) => (spec as { issuerURL: string }).issuerURL),
      ["https://users.example.test"],
    );
  });

  test("S4: each entry becomes an object of its own with all its fields", () => {
    const { create } = planOidc(runtimeWith(entry, { ...entry, clientID: "d" }), config, []);
    deepEqual(namesOf(create), ["kyma-oidc-0", "kyma-oidc-1"]);
    deepEqual(create[0], {
      apiVersion: "authentication.gardener.cloud/v1alpha1",
      kind: "OpenIDConnect",
      metadata: { name: "kyma-oidc-0", labels: { "operator.kyma-project.io/managed-by": "infrastructure-manager" } },
      spec: {
        issuerURL: "https://idp.example.test",
        clientID: "c",
        usernameClaim: "email",
        usernamePrefix: "u:",
        groupsClaim: "groups",
        groupsPrefix: "g:",
        requiredClaims: { aud: "x" },
        supportedSigningAlgs: ["ES256"],
        jwks: { keys: "e30=" },
      },
    });
  });

  test("S5: what is right is left alone, what is old goes", () => {
    const { create } = planOidc(runtimeWith(entry, entry), config, []);
    const plan = planOidc(runtimeWith(entry), config, create.map(stored));
    deepEqual([plan.create, plan.update, plan.remove], [[], [], ["kyma-oidc-1"]]);
  });

  test("a changed entry is updated in place, without a moment without logins", () => {
    const { create } = planOidc(runtimeWith(entry), config, []);
    const plan = planOidc(runtimeWith({ ...entry, usernamePrefix: "new:" }), config, create.map(stored));
    deepEqual([plan.create, plan.remove], [[], []]);
    deepEqual(
      plan.update.map(({ metadata, spec }) => [
        metadata.resourceVersion,
        (spec as { usernamePrefix: string }).usernamePrefix,
      ]),
      [["1", "new:"]],
    );
  });

  test("entries without client or issuer are left out and named", () => {
    const plan = planOidc(runtimeWith({ clientID: "c" }, entry, { issuerURL: "https://x.example.test" }), config, []);
    deepEqual(plan.incomplete, [0, 2]);
    deepEqual(namesOf(plan.create), ["kyma-oidc-0"]);
  });
});
