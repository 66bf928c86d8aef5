import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { landscapeText } from "../../../testing/index.ts";
import {
  auditLogTenantFor,
  parseAuditLogTenants,
  parseLandscapeConfig,
  parseMaintenanceWindows,
  parsePlatformRegions,
} from "./index.ts";

const parse = (edit: (config: { converter: Record<string, unknown> }) => void): unknown => {
  const config = JSON.parse(landscapeText()) as { converter: Record<string, unknown> };
  edit(config);
  return parseLandscapeConfig(JSON.stringify(config), "converter_config.json");
};

describe("C8: the converter configuration", () => {
  test("fills in what may be left out", () => {
    const { converter } = parseLandscapeConfig(landscapeText(), "c");
    equal(converter.provider.aws.enableIMDSv2, true);
    equal(converter.gardener.enableCredentialBinding, false);
    deepEqual({ ...converter.tolerations }, { "me-central2": [{ key: "ksa-assured-workload" }] });
    equal(converter.maintenanceWindow.windowMapPath, "");
  });

  test("takes the switch for machine images by both of its names", () => {
    const valueFor = (key: string): boolean => {
      const config = JSON.parse(landscapeText()) as { converter: { kubernetes: Record<string, unknown> } };
      delete config.converter.kubernetes["enableMachineImageVersionAutoUpdate"];
      config.converter.kubernetes[key] = true;
      return parseLandscapeConfig(JSON.stringify(config), "c").converter.kubernetes.enableMachineImageVersionAutoUpdate;
    };
    equal(valueFor("enableMachineImageVersionVersionAutoUpdate"), true);
    equal(valueFor("enableMachineImageVersionAutoUpdate"), true);
  });

  test("refuses unknown keys by name and file", () => {
    throws(
      () => parse(({ converter }) => (converter["colour"] = 1)),
      (error: Error) => /^converter_config\.json is not valid: converter: .*colour/.test(error.message),
    );
  });

  test("refuses what is missing by its path", () => {
    throws(
      () => parse(({ converter }) => delete converter["machineImage"]),
      (error: Error) => error.message.includes("converter.machineImage: "),
    );
  });

  test("refuses what is no JSON", () => {
    throws(() => parseLandscapeConfig("{", "c.json"), { code: "CONFIG_NOT_JSON" });
  });
});

describe("E30: audit-log tenants", () => {
  const tenant = { tenantID: "t", serviceURL: "https://a.example.test", secretName: "s" };
  const all = parseAuditLogTenants(JSON.stringify({ aws: { r: tenant } }), "t.json");

  test("are found by provider and region", () => {
    deepEqual(auditLogTenantFor(all, "aws", "r"), tenant);
    throws(() => auditLogTenantFor({}, "aws", "r"), {
      message: "audit logs configuration not found: missing providerType: 'aws'",
    });
    throws(() => auditLogTenantFor(all, "aws", "q"), {
      message: "audit logs configuration not found: missing region: 'q' for providerType: 'aws'",
    });
  });

  test("need all their fields, and a URL", () => {
    const read = (value: object): unknown => parseAuditLogTenants(JSON.stringify({ aws: { r: value } }), "t.json");
    throws(() => read({ ...tenant, serviceURL: "nowhere" }), { code: "CONFIG_INVALID" });
    throws(() => read({ tenantID: "t" }), { code: "CONFIG_INVALID" });
  });
});

describe("maintenance windows", () => {
  const read = (window: object): unknown => parseMaintenanceWindows(JSON.stringify({ "eu-1": window }), "windows.json");
  const refused = (problem: string) => ({
    code: "CONFIG_INVALID",
    message: `windows.json is not valid: eu-1${problem}`,
  });

  test("have a begin and an end, at most a night apart", () => {
    for (const end of ["003000+0200", "223000+0000", "040000+0000"]) {
      const window = { begin: "220000+0000", end };
      deepEqual({ ...(read(window) as object) }, { "eu-1": window });
    }
    throws(() => read({ begin: "220000+0000" }), { code: "CONFIG_INVALID" });
  });

  test("that Gardener would refuse in every Shoot of the region are refused by region, found and expected", () => {
    throws(
      () => read({ begin: "22:00", end: "230000+0000" }),
      refused('.begin: expected HHMMSS+ZZZZ, for example 220000+0000, found "22:00"'),
    );
    for (const end of ["222900+0000", "220000+0000", "040001+0000"]) {
      throws(
        () => read({ begin: "220000+0000", end }),
        refused(`: expected a window of 30 minutes to 6 hours, found 220000+0000 to ${end}`),
      );
    }
  });
});

test("a region that is called as a property of every object has what the files give it", () => {
  const { tolerations } = parseLandscapeConfig(landscapeText(), "c").converter;
  for (const region of ["constructor", "__proto__"]) {
    equal(tolerations[region], undefined);
    equal(parseMaintenanceWindows("{}", "w")[region], undefined);
    equal(parsePlatformRegions("{}", "p")[region], undefined);
    throws(() => auditLogTenantFor(parseAuditLogTenants('{"aws":{}}', "t"), "aws", region), {
      code: "CONFIG_AUDIT_LOG_REGION",
    });
  }
});
