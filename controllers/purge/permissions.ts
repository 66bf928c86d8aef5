import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";
import { crdName, kinds } from "../../apis/operator/group.ts";

const crds = builtIn.customResourceDefinitions;
const names = kinds.map(crdName);

export const permissions: Permissions = {
  namespace: kinds.map((kind) => allow(kind, ["patch"], "to store objects in the version of today")),
  cluster: [
    ...kinds.map((kind) => allow(kind, ["list"], "to know that none is left in a former version, in any namespace")),
    allow(crds, ["get"], "to know the stored versions of these CRDs", { names }),
    allow(crds, ["update"], "to drop former versions from the record", { subresource: "status", names }),
  ],
};
