import { allow, type Permissions } from "@kyma-operators/runtime";
import { kymas, manifests, moduleReleaseMetas, moduleTemplates } from "../../apis/operator/group.ts";

export const permissions: Permissions = {
  namespace: [
    allow(kymas, ["list", "watch"], "to know who gets mandatory modules"),
    allow(kymas, ["update"], "to own Manifests where owners are checked", { subresource: "finalizers" }),
    allow(moduleReleaseMetas, ["list", "watch"], "to know which modules are mandatory"),
    allow(moduleReleaseMetas, ["patch"], "to keep a release until its Manifests are gone"),
    allow(moduleTemplates, ["list", "watch"], "to know the versions of modules"),
    allow(manifests, ["list", "watch"], "to follow mandatory modules"),
    allow(manifests, ["create", "patch", "update"], "to install and upgrade mandatory modules"),
    allow(manifests, ["delete"], "to remove mandatory modules"),
  ],
};
