import type { JsonObject } from "@kyma-operators/gardener";
import { entriesAt, isEmpty, valueAt } from "./json.ts";
import { dnsSubdomain } from "./names.ts";
import type { Problems } from "./problems.ts";

/** Domain and DNS providers. */
export function validateDns(spec: unknown, problems: Problems): void {
  const domain = valueAt(spec, "dns", "domain");
  const providers = entriesAt(spec, "dns", "providers");
  const primary = providers.find(([, provider]) => provider["primary"] === true)?.[1];
  if (typeof domain === "string" && !dnsSubdomain.rule.test(domain)) {
    problems.invalid("spec.dns.domain", domain, dnsSubdomain.text);
  }
  if (primary !== undefined && isEmpty(domain) && primary["type"] !== "unmanaged") {
    problems.required("spec.dns.domain", 'domain must be set when primary provider type is not set to "unmanaged"');
  }
  validateProviders(providers, primary, problems);
}

function validateProviders(
  providers: readonly (readonly [number, JsonObject])[],
  primary: JsonObject | undefined,
  problems: Problems,
): void {
  for (const [index, provider] of providers) {
    const field = `spec.dns.providers[${index}]`;
    if (isEmpty(provider["type"]) && !isEmpty(provider["secretName"])) {
      problems.required(`${field}.type`, "type must be set when secretName is set");
    }
    if (provider["primary"] === true && provider !== primary) {
      problems.forbidden(`${field}.primary`, "multiple primary DNS providers are not supported");
    }
  }
}
