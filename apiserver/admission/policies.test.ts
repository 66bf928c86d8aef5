import { deepEqual } from "node:assert/strict";
import { afterEach, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "../index.ts";

let server: ApiServer | undefined;
afterEach(async () => server?.stop());

async function create(path: string, body: object): Promise<number> {
  const { status } = await (server as ApiServer).transport({
    method: "POST",
    path,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return status;
}

test("a policy that lists no names is for all, one that lists some is for those", async () => {
  server = await startApiServer({ listen: false, workload: false });
  const registration = "/apis/admissionregistration.k8s.io/v1";
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"] };
  for (const [resource, resourceNames] of [
    ["configmaps", []],
    ["secrets", ["mine"]],
  ] as const) {
    await create(`${registration}/validatingadmissionpolicies`, {
      metadata: { name: resource },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: { resourceRules: [{ ...rule, resources: [resource], resourceNames }] },
        validations: [{ expression: "false" }],
      },
    });
    await create(`${registration}/validatingadmissionpolicybindings`, {
      metadata: { name: resource },
      spec: { policyName: resource, validationActions: ["Deny"] },
    });
  }
  const statuses: number[] = [];
  for (const resource of ["configmaps", "secrets"]) {
    for (const name of ["mine", "yours"])
      statuses.push(await create(`/api/v1/namespaces/default/${resource}`, { metadata: { name } }));
  }
  deepEqual(statuses, [422, 422, 422, 201]);
});
