import { deepEqual, equal } from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { type Logger, silentLogger } from "@kyma-operators/runtime";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { analysisFrom, ForeignManagers } from "./foreign-managers.ts";

const label = "example.org/analyse";
const from = (managers?: string, ttl?: string): ReturnType<typeof analysisFrom> =>
  analysisFrom({
    KLM_EXPERIMENTAL_MANAGED_FIELDS_ANALYSIS_LABEL: label,
    KLM_EXPERIMENTAL_KNOWN_MANAGERS: managers,
    KLM_EXPERIMENTAL_FREQUENCY_LIMITER_TTL: ttl,
  });

describe("the analysis of managed fields", () => {
  test("is off without a label, and knows the managers it is told (U090)", () => {
    equal(analysisFrom({}), undefined);
    deepEqual(from()?.knownManagers, ["declarative.kyma-project.io/applier", "lifecycle-manager", "k3s"]);
    deepEqual(from("mine")?.knownManagers, ["mine"]);
    deepEqual(from("mine;yours")?.knownManagers, ["mine", "yours"]);
  });

  test("takes an interval of two to four digits, else five minutes (U090)", () => {
    const rows = [undefined, "60", "9999", "5", "0", "-30", "12345", "soon"];
    deepEqual(
      rows.map((ttl) => from(undefined, ttl)?.intervalMs),
      [300_000, 60_000, 9_999_000, 300_000, 300_000, 300_000, 300_000, 300_000],
    );
  });

  test("reports objects of chosen Manifests once in a while, without their content", () => {
    const lines: string[] = [];
    const log: Logger = {
      ...silentLogger,
      info: (fields: object) => void lines.push((fields as { managedFields: string }).managedFields),
    };
    const object = (name: string, manager: string): [string, AnyObject] => [
      name,
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: "n", managedFields: [{ manager }] },
        data: { a: "c2VjcmV0" },
      },
    ];
    const live = new Map([object("ours", "k3s"), object("theirs", "rival")]);
    const report = (labels: Record<string, string>, now: number): void => {
      const manifest = { metadata: { name: "m", namespace: "kcp-system", labels } } as unknown as Manifest;
      foreign.report({ manifest, live, ctx: { signal: new AbortController().signal, now, log } });
    };
    const options = from();
    if (options === undefined) throw new Error("the analysis is off");
    const foreign = new ForeignManagers(options);
    report({}, 0);
    for (const now of [0, 299_999, 300_000]) report({ [label]: "" }, now);

    equal(lines.length, 2);
    const text = gunzipSync(Buffer.from(lines[0] ?? "", "base64")).toString();
    deepEqual(JSON.parse(text), [
      {
        group: "",
        version: "v1",
        kind: "Secret",
        namespace: "n",
        name: "theirs",
        managedFields: [{ manager: "rival" }],
      },
    ]);
  });
});
