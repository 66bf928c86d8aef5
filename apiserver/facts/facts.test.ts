import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { applyDefaults, type Schema } from "@kyma-operators/schema";
import { applyObject, formatConflicts, stripManagedFields, updateManagedFields } from "@kyma-operators/ssa";
import { strategicMerge } from "@kyma-operators/strategic-merge";
import { kindFacts, rawSchemas, resourceFacts } from "./facts.ts";

interface Step {
  readonly apply?: object;
  /** Any write that is no apply; `stored` says what it made of the object. */
  readonly write?: string;
  readonly manager: string;
  readonly force?: boolean;
  readonly stored?: Stored;
  readonly error?: string;
}
type Stored = { readonly metadata: { readonly managedFields?: readonly object[] } };
interface Recorded {
  readonly histories: readonly { readonly name: string; readonly schema: string; readonly steps: readonly Step[] }[];
}

const file = join(import.meta.dirname, "testdata/histories.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded;
const now = "2026-01-01T00:00:00Z";

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
    test(name, () => {
      let live: Stored | undefined;
      for (const step of steps) {
        replay(step, live, schema);
        live = step.stored ?? live;
      }
    });
  }
});

function replay({ apply, manager, force = false, stored, error }: Step, live: Stored | undefined, kind: string): void {
  const schema = schemaOf(kind);
  const common = { live, manager, schema, resetFields: [["status"]], now };
  if (stored !== undefined && apply === undefined) {
    equal(managers(updateManagedFields({ ...common, next: stripManagedFields(stored) })), managers(stored));
    return;
  }
  const result = attempt(() => applyObject({ ...common, applied: apply ?? {}, force }));
  if (stored === undefined) return equal(result, error);
  equal(managers(result as Stored), managers(stored));
  holds(stripManagedFields(stored), applyDefaults(schema, stripManagedFields(result as Stored)), kind);
}

function attempt(apply: () => ReturnType<typeof applyObject>): unknown {
  try {
    const { object, conflicts } = apply();
    return conflicts.length > 0 ? formatConflicts(conflicts) : object;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The stored object has everything the merge made; beyond that, defaults and admission. */
function holds(stored: unknown, merged: unknown, path: string): void {
  if (typeof merged !== "object" || merged === null) return equal(stored ?? null, merged, path);
  for (const [field, value] of Object.entries(merged)) {
    holds((stored as Record<string, unknown> | undefined)?.[field], value, `${path}.${field}`);
  }
}

function managers({ metadata }: Stored): string {
  return JSON.stringify((metadata.managedFields ?? []).map((entry) => JSON.stringify(canonical(entry))).sort());
}

function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner)]));
}
