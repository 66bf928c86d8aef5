import { equal, match } from "node:assert/strict";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { ApiServerProcess } from "./api-server.ts";

const config = join(import.meta.dirname, "..", "config");
let server: ApiServerProcess;
beforeAll(async () => {
  server = await ApiServerProcess.start();
}, 60_000);
afterAll(() => server.stop());

describe("the kustomize bases", () => {
  for (const base of ["crd", "rbac", "manager", "default", "samples/demo"]) {
    test(`${base} is built by real kubectl`, async () => {
      match(await server.kubectl(["kustomize", join(config, base)]), /^apiVersion: /m);
    });
  }

  test("default is applied, and a second time changes nothing", async () => {
    await server.kubectl(["apply", "--server-side", "-k", join(config, "default")]);
    await server.kubectl(["wait", "crd", "--all", "--for=condition=Established", "--timeout=30s"]);
    await server.kubectl(["apply", "--server-side", "-k", join(config, "samples/demo")]);
    const versions = () =>
      server.kubectl([
        "get",
        "crd,deployments,roles,kymas,runtimes",
        "-A",
        "-o",
        "jsonpath={.items[*].metadata.generation}",
      ]);
    const before = await versions();
    await server.kubectl(["apply", "--server-side", "-k", join(config, "default")]);
    await server.kubectl(["apply", "--server-side", "-k", join(config, "samples/demo")]);
    equal(await versions(), before);
    match(
      await server.kubectl(["-n", "kcp-system", "rollout", "status", "deployment/kyma-operator", "--timeout=30s"]),
      /successfully rolled out/,
    );
  }, 60_000);

  test("a Runtime with an unknown provider is refused with the field", async () => {
    const runtime = await server.kubectl(["-n", "kcp-system", "get", "runtime", "demo", "-o", "json"]);
    const wrong = runtime.replace('"type": "aws"', '"type": "moon"').replace('"name": "demo"', '"name": "other"');
    const { code, stderr } = await server.try(["create", "-f", "-"], {
      input: wrong.replace(/"resourceVersion": "\d+",?/, ""),
    });
    equal(code, 1);
    match(stderr, /spec\.shoot\.provider\.type: Unsupported value: "moon"/);
  });
});
