import { builtIn } from "@kyma-operators/kube";
import { allow, type Permissions } from "@kyma-operators/runtime";
import { permissions as gardenerCluster } from "../controllers/gardener-cluster/permissions.ts";
import { permissions as kyma } from "../controllers/kyma/permissions.ts";
import { permissions as mandatoryModule } from "../controllers/mandatory-module/permissions.ts";
import { permissions as manifest } from "../controllers/manifest/permissions.ts";
import { permissions as purge } from "../controllers/purge/permissions.ts";
import { permissions as registryCache } from "../controllers/registry-cache/permissions.ts";
import { permissions as runtime } from "../controllers/runtime/permissions.ts";
import { permissions as watcher } from "../controllers/watcher/permissions.ts";
import { permissions as dashboard } from "../dashboard/index.ts";

const { leases } = builtIn;

/** What every process does, whichever controllers it runs. */
const common: Permissions = {
  namespace: [
    allow(leases, ["get", "create", "update"], "to lead, and to give the lead back"),
    allow(leases, ["list", "watch"], "to take a lease over at once, and to share shards"),
    allow(builtIn.events, ["create", "patch"], "to tell people what happened"),
    allow(builtIn.secrets, ["get", "list"], "to read credentials of the registry and keys of signers"),
  ],
};

/** The rights of every part of the operator, by the name of its Role. */
export const permissions: Readonly<Record<string, Permissions>> = {
  common,
  dashboard,
  kyma,
  "mandatory-module": mandatoryModule,
  manifest,
  purge,
  watcher,
  runtime,
  "gardener-cluster": gardenerCluster,
  "registry-cache": registryCache,
};
