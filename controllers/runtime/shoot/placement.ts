import {
  type AccessRestriction,
  gardenerErrors,
  isAtLeast,
  type ShootSpec,
  seedRegionLabel,
  type Toleration,
} from "@kyma-operators/gardener";
import type { Runtime } from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "./config.ts";

const cloudProfiles: ReadonlyMap<string, string> = new Map([
  ["aws", "aws"],
  ["azure", "az"],
  ["gcp", "gcp"],
  ["openstack", "converged-cloud-kyma"],
  ["alicloud", "alicloud"],
]);

const exposureClasses: ReadonlyMap<string, string> = new Map([["openstack", "converged-cloud-internet"]]);

const euRegions: ReadonlySet<string> = new Set(["cf-eu11", "cf-ch20"]);

const euAccess: AccessRestriction = {
  name: "eu-access-only",
  options: {
    "support.gardener.cloud/eu-access-for-cluster-addons": "true",
    "support.gardener.cloud/eu-access-for-cluster-nodes": "true",
  },
};

/** From this Kubernetes version on Gardener refuses `secretBindingName` and `cloudProfileName`. */
const referencesOnly = "1.34";

/** The account to build in. */
export function bindingOf(
  { spec: { shoot } }: Runtime,
  config: LandscapeConfig,
  version: string,
): Pick<ShootSpec, "secretBindingName" | "credentialsBindingName"> {
  const modern = config.converter.gardener.enableCredentialBinding || isAtLeast(version, referencesOnly);
  return modern ? { credentialsBindingName: shoot.secretBindingName } : { secretBindingName: shoot.secretBindingName };
}

/** The catalogue of the provider; throws `GARDENER_PROVIDER_NOT_SUPPORTED`. */
export function cloudProfileOf(
  { spec: { shoot } }: Runtime,
  config: LandscapeConfig,
  version: string,
): Pick<ShootSpec, "cloudProfile" | "cloudProfileName"> {
  const provider = shoot.provider.type;
  const configured = config.converter.gardener.cloudProfiles[provider];
  const name = configured?.name ?? cloudProfiles.get(provider);
  if (name === undefined) throw gardenerErrors.PROVIDER_NOT_SUPPORTED({ provider });
  const kind = configured?.kind ?? "CloudProfile";
  return kind !== "CloudProfile" || isAtLeast(version, referencesOnly)
    ? { cloudProfile: { kind, name } }
    : { cloudProfileName: name };
}

export function exposureClassOf({ spec: { shoot } }: Runtime): Pick<ShootSpec, "exposureClassName"> {
  const exposureClassName = exposureClasses.get(shoot.provider.type);
  return exposureClassName === undefined ? {} : { exposureClassName };
}

/** Only Seeds in the region of the Shoot, if the Runtime insists. */
export function seedSelectorOf({ spec: { shoot } }: Runtime): Pick<ShootSpec, "seedSelector"> {
  if (shoot.enforceSeedLocation !== true || shoot.region === "") return {};
  return { seedSelector: { matchLabels: { [seedRegionLabel]: shoot.region } } };
}

/** Platform regions under EU access rules may only be operated from the EU. */
export function accessOf({ spec: { shoot } }: Runtime): Pick<ShootSpec, "accessRestrictions"> {
  return euRegions.has(shoot.platformRegion) ? { accessRestrictions: [euAccess] } : {};
}

export function tolerationsOf({ spec: { shoot } }: Runtime, config: LandscapeConfig): readonly Toleration[] {
  return (config.converter.tolerations[shoot.region] ?? []).map(({ key, value }) => ({
    key,
    ...(value === undefined ? {} : { value }),
  }));
}
