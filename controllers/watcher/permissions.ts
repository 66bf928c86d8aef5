import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";
import { kymas, watchers } from "../../apis/operator/group.ts";

const { secrets } = builtIn;
const gateways = { group: "networking.istio.io", plural: "gateways" };
const virtualServices = { group: "networking.istio.io", plural: "virtualservices" };

export const permissions: Permissions = {
  namespace: [
    allow(watchers, ["list", "watch"], "to follow Watchers"),
    allow(watchers, ["patch"], "to put the finalizer on them"),
    allow(watchers, ["patch"], "to report on them", { subresource: "status" }),
    allow(kymas, ["list", "watch"], "to know whose cluster an event comes from"),
    allow(gateways, ["get"], "to know the address of the listener"),
    allow(gateways, ["list"], "to find the gateway of a Watcher"),
    allow(virtualServices, ["get", "create", "update", "delete"], "to route events from the gateway to the listener"),
  ],
  istio: [
    allow(secrets, ["list", "watch"], "to follow CA, gateway and agent certificates"),
    allow(secrets, ["create", "update"], "to keep the bundle of the gateway while the CA changes"),
    allow(secrets, ["patch"], "to issue certificates of agents (--cert-management=built-in)"),
    allow(secrets, ["delete"], "to remove certificates of agents"),
    allow(
      { group: "cert-manager.io", plural: "certificates" },
      ["list", "watch", "create", "patch", "delete"],
      "to have certificates of agents issued (--cert-management=cert-manager.io/v1)",
    ),
    allow({ group: "cert-manager.io", plural: "certificates" }, ["patch"], "to have them issued anew", {
      subresource: "status",
    }),
    allow(
      { group: "cert.gardener.cloud", plural: "certificates" },
      ["list", "watch", "create", "patch", "delete"],
      "to have certificates of agents issued (--cert-management=cert.gardener.cloud/v1alpha1)",
    ),
  ],
};
