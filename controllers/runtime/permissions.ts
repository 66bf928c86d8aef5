import { cloudProfileResource, seedResource, shootResource } from "@kyma-operators/gardener";
import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";
import { customConfigResource, gardenerClusterResource, runtimeResource } from "../../apis/infrastructure/index.ts";

export const permissions: Permissions = {
  namespace: [
    allow(runtimeResource, ["list", "watch"], "to follow Runtimes"),
    allow(runtimeResource, ["patch"], "to put the finalizer on them and take the wish for a forced patch off"),
    allow(runtimeResource, ["patch"], "to report on them", { subresource: "status" }),
    allow(gardenerClusterResource, ["list", "watch"], "to follow what was made for Runtimes"),
    allow(gardenerClusterResource, ["create", "patch", "delete"], "to ask for a kubeconfig, and stop asking"),
    allow(builtIn.secrets, ["list", "watch"], "to reach the new cluster"),
  ],
  garden: [
    allow(shootResource, ["list", "watch"], "to follow Shoots"),
    allow(shootResource, ["get"], "to see a Shoot as it is before it is changed"),
    allow(shootResource, ["create", "patch", "update"], "to order and change clusters"),
    allow(shootResource, ["delete"], "to give clusters up"),
    allow(builtIn.configMaps, ["create", "patch", "delete"], "to keep structured authentication of Shoots"),
    allow(builtIn.secrets, ["list", "create", "patch", "delete"], "to keep credentials of registry caches"),
  ],
  gardenCluster: [
    allow(seedResource, ["list"], "to find a seed in the region of the Shoot"),
    allow(cloudProfileResource, ["get"], "to validate Runtimes (--enable-webhooks)"),
  ],
  remote: [
    allow(builtIn.namespaces, ["get", "create"], "to have a namespace for Kyma's objects"),
    allow(
      { group: "authentication.gardener.cloud", plural: "openidconnects" },
      ["list", "create", "update", "delete"],
      "to configure OIDC",
    ),
    allow(builtIn.clusterRoleBindings, ["list", "create", "delete"], "to name administrators"),
    allow(builtIn.clusterRoles, ["bind"], "to make them administrators", { names: ["cluster-admin"] }),
    allow(customConfigResource, ["list"], "to know which registry caches are wanted"),
    allow(builtIn.secrets, ["get"], "to read the credentials of registry caches"),
  ],
};
