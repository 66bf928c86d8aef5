import { deepEqual, equal, throws } from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { type Bom, bomOf, packagesOf } from "./sbom.ts";

const root = join(import.meta.dirname, "..");
const component = (name: string, version: string) => ({ "bom-ref": `${name}@${version}`, name, version });

const full: Bom = {
  bomFormat: "CycloneDX",
  serialNumber: "urn:uuid:1",
  metadata: { timestamp: "2026-01-01T00:00:00Z", component: component("folder", "1.0.0") },
  components: [component("a", "1.0.0"), component("b", "1.0.0"), component("b", "2.0.0")],
  dependencies: [
    { ref: "folder@1.0.0", dependsOn: ["a@1.0.0", "b@2.0.0"] },
    { ref: "a@1.0.0", dependsOn: ["b@1.0.0"] },
    { ref: "b@2.0.0", dependsOn: [] },
  ],
};

describe("the bill of materials", () => {
  test("keeps what is bundled, in that version, and nothing of the run", () => {
    const bom = bomOf(full, ["a@1.0.0", "b@1.0.0"], { name: "product", version: "1.0.0" });
    deepEqual(
      bom.components.map((entry) => entry["bom-ref"]),
      ["a@1.0.0", "b@1.0.0"],
    );
    deepEqual(bom.dependencies, [
      { ref: "folder@1.0.0", dependsOn: ["a@1.0.0"] },
      { ref: "a@1.0.0", dependsOn: ["b@1.0.0"] },
    ]);
    equal(bom.metadata.component.name, "product");
    equal(/serialNumber|timestamp/.test(JSON.stringify(bom)), false);
  });

  test("does not leave out silently what npm does not know", () => {
    throws(() => bomOf(full, ["c@1.0.0"], { name: "product", version: "1.0.0" }), /npm does not know of c@1\.0\.0/);
  });

  test("tells packages by the files of a bundle, scoped and nested ones too", () => {
    const inputs = ["cmd/kyma.ts", "node_modules/semver/index.js", "node_modules/semver/functions/lt.js"];
    const found = packagesOf(root, [...inputs, "node_modules/@peculiar/x509/build/x509.js"]);
    deepEqual(
      found.map((id) => id.replace(/@[\d.]+$/, "")),
      ["@peculiar/x509", "semver"],
    );
  });
});
