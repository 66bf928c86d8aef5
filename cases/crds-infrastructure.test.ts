import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { load } from "js-yaml";
import { casesDir } from "./cases-dir.ts";

const root = join(import.meta.dirname, "..");
const immutable = (field: string): string => `[{"message":"${field} cannot be changed","rule":"self == oldSelf"}]`;
const shoot = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/shoot/properties";
const status = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties";
const errors = `${status}/shootLastErrors`;
const errorFields = `${errors}/items/properties`;
const rules = "x-kubernetes-validations";

/** What our CRDs have beyond the originals, each with its reason. */
const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "infrastructuremanager.kyma-project.io_runtimes.yaml": {
    // Providers of later revisions: Alibaba Cloud.
    [`${shoot}/provider/properties/type/enum/4`]: '"alicloud"',
    // A change of these would lose the cluster or leave it half changed; the API server refuses it at once.
    [`${shoot}/name/${rules}`]: immutable("name"),
    [`${shoot}/purpose/${rules}`]: immutable("purpose"),
    [`${shoot}/region/${rules}`]: immutable("region"),
    [`${shoot}/platformRegion/${rules}`]: immutable("platformRegion"),
    [`${shoot}/networking/${rules}`]: immutable("networking"),
    [`${shoot}/provider/properties/type/${rules}`]: immutable("provider.type"),
    // Timeouts count from here, whoever leads and however often it restarts.
    [`${status}/operationStartedAt/type`]: '"string"',
    [`${status}/operationStartedAt/format`]: '"date-time"',
    // The provider's own words, which conditions have no room for; later revisions of the original have it too.
    [`${errors}/type`]: '"array"',
    [`${errors}/items/type`]: '"object"',
    [`${errors}/items/required/0`]: '"description"',
    [`${errorFields}/codes/type`]: '"array"',
    [`${errorFields}/codes/items/type`]: '"string"',
    [`${errorFields}/description/type`]: '"string"',
    [`${errorFields}/lastUpdateTime/type`]: '"string"',
    [`${errorFields}/lastUpdateTime/format`]: '"date-time"',
    [`${errorFields}/taskID/type`]: '"string"',
  },
};

/** Every leaf of a document as path → JSON, without prose and generator marks. `required` lists are sets. */
function leaves(node: unknown, path = ""): readonly (readonly [string, string])[] {
  if (path.endsWith(rules)) return [[path, canonical(node)]];
  if (Array.isArray(node)) {
    const items = path.endsWith("/required") ? node.map(String).toSorted() : node;
    return items.flatMap((item, index) => leaves(item, `${path}/${index}`));
  }
  if (typeof node !== "object" || node === null) return [[path, JSON.stringify(node)]];
  const entries = Object.entries(node).filter(([key, value]) => !(key === "description" && typeof value === "string"));
  if (entries.length === 0) return [[path, "{}"]];
  return entries.flatMap(([key, value]) => leaves(value, `${path}/${key}`));
}

function canonical(list: unknown): string {
  const sorted = (list as readonly object[]).map((rule) =>
    Object.fromEntries(Object.entries(rule).toSorted(([a], [b]) => a.localeCompare(b))),
  );
  return JSON.stringify(sorted);
}

function crd(path: string): Map<string, string> {
  return new Map(leaves(load(readFileSync(path, "utf8"))).filter(([key]) => !key.startsWith("/metadata/annotations")));
}

const pairs = [
  ["infrastructure-manager", "crds", "infrastructuremanager.kyma-project.io_runtimes.yaml"],
  ["infrastructure-manager", "crds", "infrastructuremanager.kyma-project.io_gardenerclusters.yaml"],
  ["infrastructure-manager", "crds", "core.kyma-project.io_customconfigs.yaml"],
  ...["cloudprofiles", "exposureclasses", "projects", "secretbindings", "seeds", "shoots"].map((plural) => [
    "gardener",
    "local/gardener/crds",
    `core.gardener.cloud_${plural}.yaml`,
  ]),
  ["gardener", "local/gardener/crds", "security.gardener.cloud_credentialsbindings.yaml"],
] as const;

describe("CRDs of the infrastructure manager", () => {
  for (const [folder = "", place = "", file = ""] of pairs) {
    test(`${file} has the fields, types, enums, defaults and validations of the original`, () => {
      const own = crd(join(root, place, file));
      const original = crd(join(casesDir, "reference/crds", folder, file));
      const added = [...own].filter(([path]) => !original.has(path));
      const changed = [...original].filter(([path, value]) => own.get(path) !== value);

      deepEqual(Object.fromEntries(added), differences[file] ?? {});
      deepEqual(changed, []);
    });
  }
});
