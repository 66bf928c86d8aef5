import { shootResource } from "@kyma-operators/gardener";
import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";
import { customConfigResource, runtimeResource } from "../../apis/infrastructure/index.ts";

const { secrets } = builtIn;

/** Only with --custom-config-controller-enabled; it runs where the runtime group runs. */
export const permissions: Permissions = {
  namespace: [
    allow(runtimeResource, ["list", "watch", "patch"], "to tell Runtimes that a cache is wanted"),
    allow(secrets, ["list", "watch"], "to reach runtimes"),
  ],
  garden: [allow(shootResource, ["list", "watch"], "to leave clusters alone that sleep")],
  remote: [allow(customConfigResource, ["list"], "to know which registry caches are wanted")],
};
