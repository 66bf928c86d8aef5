import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";
import { kymas, manifests } from "../../apis/operator/group.ts";

const { secrets } = builtIn;

/** On remote clusters it also needs every right on what modules consist of, which no list can name. */
export const permissions: Permissions = {
  namespace: [
    allow(manifests, ["list", "watch"], "to follow Manifests"),
    allow(manifests, ["patch"], "to put finalizers on them, and the source that is installed"),
    allow(manifests, ["delete"], "to let go of modules that are no longer managed"),
    allow(manifests, ["patch"], "to report on them", { subresource: "status" }),
    allow(kymas, ["list", "watch"], "to know whether a Manifest still belongs to somebody"),
    allow(secrets, ["list", "watch"], "to find access to remote clusters, and credentials of registries"),
    allow(secrets, ["get"], "to read the credentials of a registry as they are now"),
  ],
  remote: [
    allow(builtIn.serviceAccounts, ["create"], "to act as the account that a Manifest names", {
      subresource: "token",
    }),
  ],
};
