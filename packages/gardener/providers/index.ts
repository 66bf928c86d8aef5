import { gardenerErrors } from "../errors.ts";
import { alicloud, aws } from "./aws.ts";
import { azure } from "./azure.ts";
import { gcp } from "./gcp.ts";
import { openstack } from "./openstack.ts";
import type { Provider } from "./provider.ts";

const providers: ReadonlyMap<string, Provider> = new Map([
  ["aws", aws],
  ["azure", azure],
  ["gcp", gcp],
  ["openstack", openstack],
  ["alicloud", alicloud],
]);

/** The layout of a provider by `spec.provider.type`; throws `GARDENER_PROVIDER_NOT_SUPPORTED`. */
export function providerFor(type: string): Provider {
  const provider = providers.get(type);
  if (provider === undefined) throw gardenerErrors.PROVIDER_NOT_SUPPORTED({ provider: type });
  return provider;
}
