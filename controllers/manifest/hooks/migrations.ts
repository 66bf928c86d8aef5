import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import { compare, valid } from "semver";
import { manifestErrors } from "../errors.ts";
import { isRecord, type JsonRecord, show } from "../json.ts";

/** One step between two versions of a module. */
export interface MigrationStep {
  /** Unique within the layer; what `status.inventory.migration.done` lists. */
  readonly name: string;
  /** The version that needs the step: it runs when an upgrade reaches or passes it. */
  readonly version: string;
  /** Before the new objects are applied, or after. */
  readonly when: "before" | "after";
  readonly action:
    | { readonly kind: "job"; readonly object: AnyObject }
    | { readonly kind: "patch"; readonly target: AnyObject; readonly patch: unknown };
}

const maxSteps = 100;

/**
 * Reads a migrations layer:
 *
 * ```yaml
 * steps:
 * - name: move-settings
 *   version: 2.0.0
 *   when: before            # default; or after
 *   patch:                  # or job: a complete Job
 *     target: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: kyma-system}}
 *     merge: {data: {mode: new}}
 * ```
 *
 * Throws `MANIFEST_CONTENT_INVALID` with the step and field at fault.
 *
 * @param source - names the layer in errors.
 */
export function parseMigrations(text: string, source: string): readonly MigrationStep[] {
  const document = read(text, source);
  const steps = isRecord(document) ? document["steps"] : undefined;
  if (!Array.isArray(steps)) throw fail(source, "expected a list of steps");
  if (steps.length > maxSteps) throw fail(source, `more than ${maxSteps} steps`);
  const parsed = steps.map((step: unknown, index) => parseStep(step, `${source}: step ${index + 1}`));
  const names = parsed.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw fail(source, `two steps have the name ${repeated}`);
  return parsed;
}

/** Steps between two versions, in order of version and then as written. A first installation needs none. */
export function stepsBetween(
  steps: readonly MigrationStep[],
  from: string | undefined,
  to: string,
): readonly MigrationStep[] {
  if (from === undefined || valid(from) === null || valid(to) === null) return [];
  return steps
    .filter(({ version }) => compare(version, from) > 0 && compare(version, to) <= 0)
    .toSorted((a, b) => compare(a.version, b.version));
}

function read(text: string, source: string): unknown {
  try {
    return parseYaml(text, { name: source });
  } catch (error) {
    throw manifestErrors.CONTENT_INVALID({ source, problem: textOf(error) }, error);
  }
}

function parseStep(step: unknown, at: string): MigrationStep {
  if (!isRecord(step)) throw fail(at, "expected a map");
  const { name, version, when = "before" } = step;
  if (typeof name !== "string" || name === "") throw fail(at, "name is missing");
  const place = `${at} (${name})`;
  if (typeof version !== "string" || valid(version) === null) {
    throw fail(place, `version is ${JSON.stringify(version)}, expected a semantic version`);
  }
  if (when !== "before" && when !== "after") throw fail(place, `when is ${show(when)}, expected before or after`);
  return { name, version, when, action: parseAction(step, place) };
}

function parseAction({ job, patch }: JsonRecord, at: string): MigrationStep["action"] {
  if ((job === undefined) === (patch === undefined)) throw fail(at, "expected one of job and patch");
  return job === undefined ? parsePatch(patch, at) : parseJob(job, at);
}

function parseJob(job: unknown, at: string): MigrationStep["action"] {
  const object = parseObject(job, `${at}.job`);
  if (object.apiVersion === "batch/v1" && object.kind === "Job") return { kind: "job", object };
  throw fail(at, `job is a ${object.kind} of ${object.apiVersion}, expected a Job of batch/v1`);
}

function parsePatch(patch: unknown, at: string): MigrationStep["action"] {
  if (!isRecord(patch) || !isRecord(patch["merge"])) throw fail(at, "patch needs a target and a merge patch");
  return { kind: "patch", target: parseObject(patch["target"], `${at}.patch.target`), patch: patch["merge"] };
}

function parseObject(value: unknown, at: string): AnyObject {
  if (isRecord(value) && typeof value["apiVersion"] === "string" && typeof value["kind"] === "string") {
    const { metadata } = value;
    if (isRecord(metadata) && typeof metadata["name"] === "string") return value as unknown as AnyObject;
  }
  throw fail(at, "expected an object with apiVersion, kind and metadata.name");
}

function fail(source: string, problem: string): Error {
  return manifestErrors.CONTENT_INVALID({ source, problem });
}
