import type { AnyObject } from "@kyma-operators/kube";
import { type Hook as ChartHook, loadChart, render } from "helm-ts-lite";
import { parseObjects, uniqueObjects } from "./documents.ts";
import type { Capabilities, Hook, HookDeletion, HookPhase, RenderInput, Rendering } from "./rendering.ts";

/** What a chart is rendered with, beside its files. */
export interface ChartInput extends Pick<RenderInput, "releaseName" | "namespace"> {
  readonly values: Readonly<Record<string, unknown>>;
  /** Names the chart in errors. */
  readonly name: string;
  readonly capabilities: Capabilities | undefined;
}

/**
 * Renders a chart: its CRDs, then its documents in the order of installation; hooks apart. Pure: `lookup` finds nothing,
 * so that the same inputs give the same objects for every cluster.
 *
 * Charts always see an upgrade of revision 1, as with the original module manager, which kept no release history.
 */
export async function renderChart(
  files: ReadonlyMap<string, Uint8Array>,
  input: ChartInput,
  signal: AbortSignal,
): Promise<Rendering> {
  const { name, releaseName, namespace, values, capabilities } = input;
  const rendered = await render(loadChart(files, { name }), {
    release: { name: releaseName, namespace, revision: 1, isUpgrade: true },
    values,
    ...(capabilities === undefined ? {} : { capabilities }),
    signal,
  });
  const crds = rendered.crds.flatMap(({ text, source }) => parseObjects(text, source));
  const documents = rendered.documents.flatMap(({ text, source }) => parseObjects(text, source));
  return {
    objects: uniqueObjects([...crds, ...documents], name).map((object) => inNamespace(object, namespace)),
    hooks: rendered.hooks.flatMap(hooksOf).map((hook) => ({ ...hook, object: inNamespace(hook.object, namespace) })),
  };
}

/** The release's namespace is where a chart's objects go that name none; kinds without namespaces lose it again. */
function inNamespace(object: AnyObject, namespace: string): AnyObject {
  if (object.metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

const phases: readonly string[] = [
  "pre-install",
  "post-install",
  "pre-upgrade",
  "post-upgrade",
  "pre-delete",
  "post-delete",
  "test",
] satisfies readonly HookPhase[];

const deletions: readonly string[] = [
  "before-hook-creation",
  "hook-succeeded",
  "hook-failed",
] satisfies readonly HookDeletion[];

function hooksOf(hook: ChartHook): readonly Hook[] {
  const own = hook.events.filter((event): event is HookPhase => phases.includes(event));
  const policies = hook.deletePolicies.filter((policy): policy is HookDeletion => deletions.includes(policy));
  return parseObjects(hook.text, hook.source).map((object) => ({
    object,
    phases: own,
    weight: hook.weight,
    deletion: policies.length === 0 ? ["before-hook-creation"] : policies,
  }));
}
