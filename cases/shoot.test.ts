import { deepEqual, throws } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { providerFor, type Shoot } from "@kyma-operators/gardener";
import { load } from "js-yaml";
import type { CustomConfig, Runtime } from "../apis/infrastructure/index.ts";
import {
  type AuditLogTenants,
  auditLogTenantFor,
  type ConversionInput,
  convertToPatch,
  convertToShoot,
  type LandscapeConfig,
  parseAuditLogTenants,
  parseLandscapeConfig,
  parseMaintenanceWindows,
  structuredAuthConfigMap,
} from "../controllers/runtime/shoot/index.ts";
import { casesDir } from "./cases-dir.ts";
import { comparable } from "./shoot-comparison.ts";

const samples = join(casesDir, "reference/samples/infrastructure-manager");
const read = (...path: readonly string[]): string => readFileSync(join(samples, ...path), "utf8");
const yaml = (...path: readonly string[]): unknown => load(read(...path));
const configOf = (file: string): LandscapeConfig => parseLandscapeConfig(read("config", file), file);

const tenants = parseAuditLogTenants(read("config/audit_log_tenants.json"), "audit_log_tenants.json");
const windows = parseMaintenanceWindows(read("config/maintenance_windows.json"), "maintenance_windows.json");

interface Situation {
  readonly runtime: Runtime;
  readonly config: LandscapeConfig;
  readonly tenants?: AuditLogTenants;
  readonly hasWindows?: boolean;
  readonly structured?: boolean;
}

/** What the controller looks up before it converts; a missing tenant means no audit log. */
function inputOf({
  runtime,
  config,
  tenants: all = {},
  hasWindows = true,
  structured = false,
}: Situation): ConversionInput {
  const { region, provider } = runtime.spec.shoot;
  const auditLog = all[provider.type]?.[region] && auditLogTenantFor(all, provider.type, region);
  const maintenanceWindow = hasWindows ? windows[region] : undefined;
  return {
    runtime,
    config,
    ...(auditLog ? { auditLog } : {}),
    ...(maintenanceWindow ? { maintenanceWindow } : {}),
    structuredAuthentication: structured,
  };
}

describe("create samples", () => {
  for (const name of readdirSync(join(samples, "create"))) {
    test(`${name} gives the expected Shoot`, () => {
      const expected = read("create", name, "expected-shoot.yaml");
      const file = expected.includes("converter_config.internal-dns.json")
        ? "converter_config.internal-dns.json"
        : "converter_config.json";
      const runtime = yaml("create", name, "runtime.yaml") as Runtime;
      const structured = expected.includes("authentication ON");
      const input = inputOf({ runtime, config: configOf(file), tenants, structured });

      deepEqual(comparable(convertToShoot(input)), comparable(load(expected)));
    });
  }
});

describe("patch samples", () => {
  for (const name of readdirSync(join(samples, "patch"))) {
    test(`${name} gives the expected apply body`, () => {
      const expected = read("patch", name, "expected-patch.yaml");
      const own = join("patch", name, "audit_log_tenants.json");
      const all = existsSync(join(samples, own)) ? parseAuditLogTenants(read(own), own) : tenants;
      const runtime = yaml("patch", name, "runtime.yaml") as Runtime;
      const structured = expected.includes("authentication ON");
      const customConfig = join("patch", name, "skr-customconfig.yaml");
      const caches = existsSync(join(samples, customConfig)) ? (yaml(customConfig) as CustomConfig).spec?.caches : [];
      const shoot = yaml("patch", name, "existing-shoot.yaml") as Shoot;
      const input = inputOf({ runtime, config: configOf("converter_config.json"), tenants: all, structured });

      deepEqual(comparable(convertToPatch({ ...input, shoot, caches: caches ?? [] })), comparable(load(expected)));
    });
  }
});

describe("error samples", () => {
  for (const name of readdirSync(join(samples, "errors"))) {
    test(`${name} is refused`, () => {
      const text = read("errors", name);
      const [, expected = "no expectation in the file"] = /# ERROR TEXT \(contains\): (.*)/.exec(text) ?? [];
      const input = inputOf({ runtime: load(text) as Runtime, config: configOf("converter_config.json"), tenants });

      throws(
        () => convertToShoot(input),
        (error: Error) => error.message.includes(expected),
      );
    });
  }
});

interface ZoneTable {
  readonly cases: readonly { readonly nodes: string; readonly zones: readonly string[]; readonly expected: unknown }[];
  readonly errors?: readonly {
    readonly nodes: string;
    readonly zones: readonly string[];
    readonly error: string;
  }[];
}

describe("P18, P19, P26: zone tables", () => {
  for (const provider of ["aws", "azure", "alicloud"]) {
    const table = JSON.parse(read("zones", `${provider}.json`)) as ZoneTable;
    const zonesOf = (nodes: string, zones: readonly string[]): unknown => {
      const { infrastructureConfig } = providerFor(provider).create(nodes, zones);
      return (infrastructureConfig["networks"] as { readonly zones?: unknown }).zones ?? [];
    };

    test(`${provider}: ${table.cases.length} node networks are cut as recorded`, () => {
      for (const { nodes, zones, expected } of table.cases) {
        deepEqual(zonesOf(nodes, zones), expected, `${nodes} ${zones.join()}`);
      }
    });

    test(`${provider}: ${table.errors?.length ?? 0} bad inputs are refused as recorded`, () => {
      for (const { nodes, zones, error } of table.errors ?? []) {
        throws(
          () => zonesOf(nodes, zones),
          (thrown: Error) => thrown.message.includes(error),
          `${nodes} ${zones.join()}`,
        );
      }
    });
  }
});

describe("structured authentication samples", () => {
  const pairs = [
    ["16-structured-authentication", "16-structured-auth-configmap.yaml"],
    ["09-gcp-assured-workloads", "09-structured-auth-configmap.yaml"],
  ] as const;
  for (const [runtime, file] of pairs) {
    test(`${file} is written beside the Shoot`, () => {
      const config = configOf("converter_config.json");
      const { data, ...rest } = structuredAuthConfigMap(yaml("create", runtime, "runtime.yaml") as Runtime, config);
      const expected = yaml("skr", file) as { data: { "config.yaml": string } };

      deepEqual(load(data["config.yaml"]), load(expected.data["config.yaml"]));
      deepEqual({ ...rest, data: expected.data }, expected);
    });
  }
});

interface RecordedCase {
  readonly id: string;
  readonly config: string;
  readonly audit: boolean;
  readonly windows: boolean;
  readonly structured: boolean;
  readonly runtime: Runtime;
  readonly existing?: Shoot;
  readonly caches?: CustomConfig;
  readonly expected?: Shoot;
  readonly error?: string;
}

describe("240 recorded conversions", () => {
  const lines = readFileSync(join(casesDir, "cases/shoot/cases.jsonl"), "utf8").trim().split("\n");
  for (const { id, error, expected, existing, ...recorded } of lines.map((line) => JSON.parse(line) as RecordedCase)) {
    const convert = (): Shoot => {
      const input = inputOf({
        runtime: recorded.runtime,
        config: configOf(recorded.config),
        ...(recorded.audit ? { tenants } : {}),
        hasWindows: recorded.windows,
        structured: recorded.structured,
      });
      if (existing === undefined) return convertToShoot(input);
      return convertToPatch({ ...input, shoot: existing, caches: recorded.caches?.spec?.caches ?? [] });
    };

    if (error === undefined) {
      test(`${id} gives the recorded Shoot`, () => {
        deepEqual(comparable(convert()), comparable(expected));
      });
    } else {
      test(`${id} is refused: ${error}`, () => {
        throws(convert, (thrown: Error) => thrown.message.includes(error));
      });
    }
  }
});
