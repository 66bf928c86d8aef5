import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";

export const permissions: Permissions = {
  namespace: [allow(builtIn.coreEvents, ["list", "watch"], "to show on the web page what happened")],
};
