import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import type { ManifestSpec } from "../apis/operator/manifest.ts";
import type { ManifestController } from "../controllers/manifest/index.ts";
import type { ManifestWorld } from "../testing/index.ts";
import { casesDir } from "./cases-dir.ts";

export type RecordedMetadata = NonNullable<State["metadata"]>;

interface State {
  readonly story: string;
  readonly what: string;
  readonly cluster: string;
  readonly kind: string;
  readonly name: string;
  readonly event: string;
  readonly metadata?: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly finalizers?: readonly string[];
    readonly managers?: readonly string[];
  };
  readonly status?: Record<string, unknown>;
  readonly spec?: ManifestSpec;
}

const folder = join(casesDir, "cases/traces");
const lines = readFileSync(join(folder, "lifecycle-manager.jsonl"), "utf8").trim().split("\n");
export const states = lines.map((line) => JSON.parse(line) as State).filter(({ what }) => what === "state");
export const manifestName = "kyma-one-alpha-362023911";
export const recorded = (story: string): State =>
  states.findLast(
    (state) => state.story === story && state.kind === "Manifest" && state.name === manifestName,
  ) as State;

export const moduleFile = (version: string): readonly AnyObject[] =>
  parseYamlDocuments(readFileSync(join(folder, "modules", `alpha-${version}.yaml`), "utf8")) as AnyObject[];

/** Everything but what the record masks, and our own inventory. */
export function comparable(status: unknown): unknown {
  const { inventory: _ours, ...rest } = JSON.parse(JSON.stringify(status)) as Record<string, unknown>;
  const synced = (rest["synced"] as { kind: string; name: string }[] | undefined) ?? [];
  return JSON.parse(JSON.stringify({ ...rest, synced: synced.map(sortedKeys).toSorted() }, masked)) as unknown;
}

const sortedKeys = (entry: object): string =>
  JSON.stringify(Object.entries(entry).toSorted(([a], [b]) => a.localeCompare(b)));
const masked = (key: string, value: unknown): unknown => (key.endsWith("Time") ? "<time>" : value);

/** The Manifest as the original wrote it, with the digest of our copy of the layer. */
export async function install(world: ManifestWorld<ManifestController>, version: string): Promise<string> {
  const created = states.find(
    ({ kind, name, event }) => kind === "Manifest" && name === manifestName && event === "CREATED",
  );
  if (created?.spec === undefined) throw new Error(`no record of how ${manifestName} was created`);
  const { customResourcePolicy, manager, resource } = created.spec;
  const ref = world.layer(moduleFile(version));
  await world.install(ref, { version, customResourcePolicy, manager, resource } as Partial<ManifestSpec>);
  await world.until("Ready");
  return ref;
}
