import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { isAppError } from "@kyma-operators/errors";
import { formatYaml } from "@kyma-operators/yaml";
import { parseModuleConfig } from "./config.ts";
import { destinationOf } from "./registry-access.ts";

const legacy = { name: "example.org/module/demo", version: "1.4.2", channel: "regular", manifest: "m.yaml" };

function problemsOf(changes: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    parseModuleConfig(formatYaml({ ...legacy, ...changes }), "c.yaml");
    return [];
  } catch (error) {
    if (!isAppError(error) || error.code !== "CREATE_CONFIG_INVALID") throw error;
    return (error.detail as { problems: readonly string[] }).problems;
  }
}

/** The fields at fault, once each. */
function faults(changes: Readonly<Record<string, unknown>>): readonly string[] {
  return [...new Set(problemsOf(changes).map((problem) => problem.slice(0, problem.indexOf(":"))))];
}

describe("a module config", () => {
  test("#39 wants a component name whose last part is the module's name", () => {
    equal(problemsOf({}).length, 0);
    for (const name of ["", " example.org/module/demo", "example.org", "example.org/x", "demo/module"]) {
      deepEqual(faults({ name }), ["name"], name);
    }
  });

  test("#40 wants a strict semantic version that a template can carry", () => {
    for (const version of ["1.4.2", "v1.4.2", "1.4.2-rc1"]) deepEqual(faults({ version }), [], version);
    for (const version of ["1.4", "latest", "1.4.2-rc.1", "01.4.2"])
      deepEqual(faults({ version }), ["version"], version);
    equal(parseModuleConfig(formatYaml({ ...legacy, version: "v1.4.2" }), "c.yaml").version, "1.4.2");
  });

  test("#41 wants a namespace that Kubernetes takes", () => {
    deepEqual(faults({ namespace: "some-where" }), []);
    for (const namespace of ["", "Upper", "a".repeat(254)]) deepEqual(faults({ namespace }), ["namespace"]);
  });

  test("#42 wants channels of 3 to 32 lower-case letters", () => {
    for (const channel of ["abc", "a".repeat(32)]) deepEqual(faults({ channel }), []);
    for (const channel of ["ab", "a".repeat(33), "abc1", "Abc"]) deepEqual(faults({ channel }), ["channel"]);
  });

  test("#43 wants state checks that map Ready and Error", () => {
    const ready = { jsonPath: "status.phase", value: "Running", mappedState: "Ready" };
    const error = { ...ready, value: "Failed", mappedState: "Error" };
    deepEqual(faults({ customStateCheck: [] }), []);
    deepEqual(faults({ customStateCheck: [ready, error] }), []);
    deepEqual(problemsOf({ customStateCheck: [ready] }), ["customStateCheck: no entry has mappedState Error"]);
    deepEqual(faults({ customStateCheck: [ready, { ...error, jsonPath: "" }] }), ["customStateCheck[1].jsonPath"]);
    deepEqual(problemsOf({ customStateCheck: [ready, { jsonPath: "a", value: "b" }] }), [
      "customStateCheck[1].mappedState: required: expected Ready, Error, Warning, Processing or Deleting",
      "customStateCheck: no entry has mappedState Error",
    ]);
  });

  test("#71 says everything that is wrong at once, field by field", () => {
    deepEqual(problemsOf({ name: "x", version: "y", chart: "c", typo: 1 }).length, 5);
    deepEqual(problemsOf({ typo: 1, chart: "c" }), [
      "typo: unknown field",
      "manifest: expected exactly one of manifest, chart and kustomize, found 2",
    ]);
  });

  test("without a channel wants what the modern form requires", () => {
    deepEqual(problemsOf({ channel: undefined }), [
      "repository: required in a config without channel",
      "documentation: required in a config without channel",
      "icons: required in a config without channel",
    ]);
  });

  test("refuses a text that is no map, and a field that stands twice", () => {
    throws(() => parseModuleConfig("[]", "c.yaml"), /c\.yaml is no module config/);
    throws(() => parseModuleConfig("name: a\nname: b\n", "c.yaml"), /c\.yaml/);
  });
});

test("#45 the scheme of a registry is no part of where the component is", () => {
  for (const registry of ["https://r.example/a/", "http://r.example/a", "r.example/a"]) {
    equal(destinationOf({ registry, nameMapping: "urlPath" })?.baseUrl, "r.example/a");
  }
});
