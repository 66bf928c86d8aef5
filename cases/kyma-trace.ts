import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kymaSettings as stageSettings } from "../controllers/kyma/kyma-stage.ts";
import type { Descriptor } from "../modules/descriptor.ts";
import { kymaObject } from "../testing/index.ts";
import { casesDir } from "./cases-dir.ts";

export const folder = join(casesDir, "cases/traces");
export const api = "operator.kyma-project.io/v1beta2";
export const key = { namespace: "kcp-system", name: "kyma-one" };
const runtimeId = "6a1f0000-0000-4000-8000-000000000001";

export interface TraceLine {
  readonly story: string;
  readonly seq: number;
  readonly what: string;
  readonly cluster?: "kcp" | "skr";
  readonly kind?: string;
  readonly name?: string;
  readonly event?: string;
  readonly reason?: string;
  readonly metadata?: {
    readonly labels?: object;
    readonly annotations?: object;
    readonly ownerReferences?: object;
    readonly finalizers?: readonly string[];
    readonly managers?: readonly string[];
  };
  readonly spec?: object;
  readonly status?: object;
}

export const trace = readFileSync(join(folder, "lifecycle-manager.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as TraceLine);

/** The last state of an object that was seen before a point of a story. */
export function recorded(cluster: "kcp" | "skr", kind: string, name: string, before: number): TraceLine | undefined {
  return trace.findLast(
    (line) => line.cluster === cluster && line.kind === kind && line.name === name && line.seq < before,
  );
}

/** The number of the n-th wait of a story. */
export function waitOf(story: string, index = 0): number {
  return trace.filter((line) => line.story === story && line.what === "wait")[index]?.seq ?? Number.NaN;
}

const masks: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>"],
  [/sha256:[0-9a-f]+/g, "<digest>"],
  [/registry\.example\.org/g, "<host>"],
  [new RegExp(runtimeId, "g"), "<uid>"],
];

export function masked(value: unknown): unknown {
  return JSON.parse(
    masks.reduce((text, [pattern, mask]) => text.replaceAll(pattern, mask), JSON.stringify(value ?? null)),
  );
}

export const kyma = kymaObject(
  "kyma-one",
  { channel: "regular", modules: [{ name: "alpha" }] },
  {
    labels: {
      "kyma-project.io/broker-plan-name": "aws",
      "kyma-project.io/global-account-id": "ga-1",
      "kyma-project.io/instance-id": "inst-1",
      "kyma-project.io/region": "eu",
      "kyma-project.io/runtime-id": runtimeId,
      "kyma-project.io/subaccount-id": "sa-1",
    },
    annotations: { "skr-domain": "shoot-one.project.example.org" },
  },
);

export const descriptor = (name: string, version: string): Descriptor => ({
  name,
  version,
  repositoryContexts: [{ type: "OCIRegistry" }],
  resources: [
    {
      name: "raw-manifest",
      type: "directoryTree",
      access: { type: "localBlob", localReference: `sha256:${Buffer.from(version).toString("hex")}` },
    },
  ],
});

export const kymaSettings = { ...stageSettings, registry: "registry.example.org" };
