import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject, Client } from "@kyma-operators/kube";
import { kubeErrors } from "@kyma-operators/kube";
import { moduleRegistry, type RegistryFlags } from "./registry.ts";

/** A cluster with at most one Secret. */
function clusterWith(dockerConfig: object | undefined): Client {
  const get = async (): Promise<AnyObject> => {
    if (dockerConfig === undefined) {
      throw kubeErrors.NOT_FOUND({ method: "GET", path: "/", status: 404, reason: "NotFound", message: "" });
    }
    const data = { ".dockerconfigjson": Buffer.from(JSON.stringify(dockerConfig)).toString("base64") };
    return { apiVersion: "v1", kind: "Secret", metadata: { name: "creds" }, data };
  };
  return { get } as unknown as Client;
}
const flags = (given: Partial<RegistryFlags>): RegistryFlags => ({
  host: "",
  secretName: "",
  subPath: "",
  namespace: "kcp-system",
  ...given,
});
const login = { auth: Buffer.from("user:word").toString("base64") };

describe("the registry of the modules", () => {
  const cases = [
    { name: "a plain host", flags: { host: "reg.test" }, want: ["reg.test", "https://reg.test"] },
    { name: "https is cut off", flags: { host: "https://reg.test/" }, want: ["reg.test", "https://reg.test"] },
    {
      name: "http means plain HTTP",
      flags: { host: "http://127.0.0.1:5000" },
      want: ["127.0.0.1:5000", "http://127.0.0.1:5000"],
    },
    {
      name: "the sub-path follows one slash",
      flags: { host: "reg.test/a/", subPath: "/b/" },
      want: ["reg.test/a/b", "https://reg.test/a/b"],
    },
  ];
  for (const { name, flags: given, want } of cases) {
    test(name, async () => {
      const { reference, baseUrl } = await moduleRegistry(clusterWith(undefined), flags(given));
      deepEqual([reference, baseUrl], want);
    });
  }

  test("comes with credentials from the only entry of a Secret", async () => {
    const registry = await moduleRegistry(
      clusterWith({ auths: { "https://reg.test": login } }),
      flags({ secretName: "creds", subPath: "modules" }),
    );
    equal(registry.reference, "reg.test/modules");
    const credential = await registry.credentials({ host: "reg.test", path: "modules/x" });
    equal(credential?.username, "user");
    equal(credential?.password?.reveal(), "word");
  });

  test("is refused when the Secret is missing, empty or ambiguous", async () => {
    await rejects(
      moduleRegistry(clusterWith(undefined), flags({ secretName: "creds" })),
      /Secret kcp-system\/creds does not exist/,
    );
    await rejects(
      moduleRegistry(clusterWith({ auths: {} }), flags({ secretName: "creds" })),
      /exactly one registry, it names 0/,
    );
    await rejects(
      moduleRegistry(clusterWith({ auths: { a: login, b: login } }), flags({ secretName: "creds" })),
      /it names 2/,
    );
    await rejects(moduleRegistry(clusterWith(undefined), flags({ host: "https://" })), /names no host/);
  });
});
