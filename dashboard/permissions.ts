import { allow, type Permissions } from "@kyma-operators/runtime";

export const permissions: Permissions = {
  namespace: [allow({ group: "", plural: "events" }, ["list", "watch"], "to show on the web page what happened")],
};
