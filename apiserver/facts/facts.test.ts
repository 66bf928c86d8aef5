import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { applyDefaults, type Schema } from "@kyma-operators/schema";
import { stripManagedFields } from "@kyma-operators/ssa";
import { strategicMerge } from "@kyma-operators/strategic-merge";
import { ownersOf, type RecordedWrite, replayWrites } from "../../testing/index.ts";
import { kindFacts, rawSchemas, resourceFacts } from "./facts.ts";

interface Recorded {
  readonly histories: readonly {
    readonly name: string;
    readonly schema: string;
    readonly steps: readonly RecordedWrite[];
  }[];
}

const file = join(import.meta.dirname, "testdata/histories.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded;

function groupVersionOf(path: string): readonly [string, string] {
  const [, group = "", version = ""] = /^(?:api|apis\/([^/]+))\/([^/]+)$/.exec(path) ?? [];
  return [group, version];
}

function schemaOf(name: string): Schema {
  const [group = "", version = "", kind = ""] = name.split("/");
  const schema = kindFacts(group, version, kind)?.schema;
  ok(schema, name);
  return schema;
}

function fieldOf(kind: string, ...path: readonly string[]): Schema {
  return path.reduce((schema, name) => {
    const field = schema.properties.get(name);
    ok(field, name);
    return field;
  }, schemaOf(kind));
}

describe("kindFacts", () => {
  test("every served kind that can be written has facts", () => {
    for (const [path, resources] of Object.entries(resourceFacts())) {
      const [inGroup, inVersion] = groupVersionOf(path);
      // Options of a proxy connection are no object that anybody stores.
      const written = resources.filter(({ kind, verbs }) => verbs.includes("patch") && !kind.endsWith("ProxyOptions"));
      for (const { kind, group = inGroup, version = inVersion } of written) ok(kindFacts(group, version, kind), kind);
    }
  });

  test("is the same each time, and absent for kinds that are not built in", () => {
    equal(kindFacts("apps", "v1", "Deployment"), kindFacts("apps", "v1", "Deployment"));
    equal(kindFacts("apps", "v1", "Deplyment"), undefined);
  });

  test("knows list keys, defaults and always-stored structs", () => {
    const ports = fieldOf("/v1/Service", "spec", "ports");

    deepEqual([ports.listType, ports.listKeys, ports.patchMergeKey], ["map", ["port", "protocol"], "port"]);
    equal(ports.items?.properties.get("protocol")?.default, "TCP");
    deepEqual(fieldOf("apps/v1/Deployment", "status").zero, {});
  });

  test("holds the raw schemas for OpenAPI", () => {
    ok(Object.keys(rawSchemas()).length > 500);
    ok(rawSchemas()["io.k8s.api.core.v1.Pod"]);
  });

  test("merges containers by name", () => {
    const facts = kindFacts("", "v1", "Pod");
    const pod = { spec: { containers: [{ name: "a", image: "1", args: ["x"] }, { name: "b" }] } };

    deepEqual(strategicMerge(pod, { spec: { containers: [{ name: "a", image: "2" }] } }, facts?.merge), {
      spec: { containers: [{ name: "a", image: "2", args: ["x"] }, { name: "b" }] },
    });
  });
});

describe("ownership of built-in kinds ends as on a kube-apiserver", () => {
  for (const { name, schema, steps } of recorded.histories) {
    test(name, () =>
      replayWrites(steps, schemaOf(schema), (stored, applied) => {
        equal(ownersOf(applied), ownersOf(stored));
        holds(stripManagedFields(stored), applyDefaults(schemaOf(schema), stripManagedFields(applied)), schema);
      }),
    );
  }
});

/** The stored object has everything the merge made; beyond that, defaults and admission. */
function holds(stored: unknown, merged: unknown, path: string): void {
  if (typeof merged !== "object" || merged === null) return equal(stored ?? null, merged, path);
  for (const [field, value] of Object.entries(merged)) {
    holds((stored as Record<string, unknown> | undefined)?.[field], value, `${path}.${field}`);
  }
}
