import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";
import { crdName, kymas, manifests, moduleReleaseMetas, moduleTemplates } from "../../apis/operator/group.ts";

const crds = builtIn.customResourceDefinitions;
const copiedCrds = [kymas, moduleTemplates, moduleReleaseMetas].map(crdName);

export const permissions: Permissions = {
  namespace: [
    allow(kymas, ["list", "watch"], "to follow Kymas"),
    allow(kymas, ["patch"], "to put finalizer and labels on them"),
    allow(kymas, ["patch"], "to report on them", { subresource: "status" }),
    allow(kymas, ["update"], "to own Manifests where owners are checked", { subresource: "finalizers" }),
    allow(manifests, ["list", "watch"], "to follow the modules of a Kyma"),
    allow(manifests, ["create", "patch", "update"], "to install and upgrade modules"),
    allow(manifests, ["delete"], "to remove modules"),
    allow(moduleTemplates, ["list", "watch"], "to know the versions of modules"),
    allow(moduleReleaseMetas, ["list", "watch"], "to know the channels of modules"),
    allow(builtIn.secrets, ["list", "watch"], "to find access to remote clusters, and pull secrets"),
  ],
  cluster: [allow(crds, ["list", "watch"], "to copy these CRDs to remote clusters", { names: copiedCrds })],
  remote: [
    allow(builtIn.namespaces, ["get", "create", "patch"], "to have a namespace for Kyma's objects"),
    allow(builtIn.secrets, ["get", "create", "patch"], "to copy the pull secret"),
    allow(crds, ["create"], "to copy CRDs of Kyma"),
    allow(crds, ["get", "patch", "delete"], "to renew and remove these CRDs", { names: copiedCrds }),
    allow(kymas, ["get", "create", "patch", "delete"], "to keep the Kyma of the user"),
    allow(kymas, ["update"], "to show its status", { subresource: "status" }),
    allow(moduleTemplates, ["list", "create", "patch", "delete"], "to show the catalog"),
    allow(moduleReleaseMetas, ["list", "create", "patch", "delete"], "to show the catalog"),
    allow(builtIn.deployments, ["get", "create", "patch", "delete"], "to run the watcher agent"),
    allow(builtIn.pods, ["list"], "to tell why the agent does not start"),
    allow(builtIn.services, ["create", "patch", "delete"], "to reach the agent"),
    allow(builtIn.secrets, ["delete"], "to remove the agent's certificate"),
    allow(
      { group: "networking.k8s.io", plural: "networkpolicies" },
      ["create", "patch", "delete"],
      "to let the agent speak with the API server and the control plane",
    ),
    allow(
      { group: "scheduling.k8s.io", plural: "priorityclasses" },
      ["create", "patch", "delete"],
      "to let the agent run before other workloads",
    ),
    allow(
      { group: "admissionregistration.k8s.io", plural: "validatingwebhookconfigurations" },
      ["create", "patch", "delete"],
      "to tell the agent of changes",
    ),
  ],
};
