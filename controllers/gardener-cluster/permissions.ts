import { shootResource } from "@kyma-operators/gardener";
import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";
import { gardenerClusterResource } from "../../apis/infrastructure/index.ts";

const { secrets } = builtIn;

export const permissions: Permissions = {
  namespace: [
    allow(gardenerClusterResource, ["list", "watch"], "to follow GardenerClusters"),
    allow(gardenerClusterResource, ["patch"], "to take the wish for a forced rotation off"),
    allow(gardenerClusterResource, ["patch"], "to report on them", { subresource: "status" }),
    allow(secrets, ["list", "watch"], "to know the age of kubeconfigs"),
    allow(secrets, ["create", "patch", "delete"], "to keep kubeconfigs fresh, and remove them"),
  ],
  garden: [allow(shootResource, ["create"], "to be given kubeconfigs", { subresource: "adminkubeconfig" })],
};
