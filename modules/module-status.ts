import { annotations } from "../apis/operator/annotations.ts";
import { apiVersion } from "../apis/operator/group.ts";
import type { ModuleStatus, TrackingObject } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import type { ModuleTemplate } from "../apis/operator/module-template.ts";
import type { State } from "../apis/operator/state.ts";
import type { ModuleProblem, ProblemKind } from "./problems.ts";

/** How a problem changes the entry of a module that has one already. */
type Change =
  | { readonly keeps: true; readonly state?: State; readonly maintenance?: true }
  | { readonly keeps: false; readonly state: State };

const changes: Readonly<Record<ProblemKind, Change>> = {
  waiting: { keeps: true, maintenance: true },
  "window-unknown": { keeps: true, state: "Error" },
  "update-not-allowed": { keeps: true, state: "Warning" },
  "no-release-meta": { keeps: true, state: "Warning" },
  "no-templates": { keeps: false, state: "Warning" },
  "not-allowed": { keeps: false, state: "Error" },
  mandatory: { keeps: false, state: "Warning" },
  other: { keeps: false, state: "Error" },
};

/** The entry of a module whose lookup failed. `channel` is the desired one. */
export function statusFromProblem(
  name: string,
  channel: string,
  problem: ModuleProblem,
  previous: ModuleStatus | undefined,
): ModuleStatus {
  const { keeps, ...change } = changes[problem.kind];
  if (previous !== undefined && keeps) return { ...previous, message: problem.message, ...change };
  // What is wrong from the start is an error; a mandatory module runs all the same.
  const state = previous === undefined && problem.kind !== "mandatory" ? "Error" : change.state;
  return freshStatus(name, channel, problem, state ?? "Error");
}

function freshStatus(name: string, channel: string, problem: ModuleProblem, state: State): ModuleStatus {
  const { message, component, beforeChannel } = problem;
  return {
    name,
    ...(beforeChannel ? {} : { channel }),
    ...(component === undefined ? {} : { fqdn: component, ocmComponentName: component }),
    message,
    state,
  };
}

export interface InstalledModule {
  readonly name: string;
  readonly channel: string;
  readonly unmanaged: boolean;
  readonly component: string;
  readonly template: ModuleTemplate;
  /** The wanted Manifest, whether it was written or not. */
  readonly manifest: Manifest;
  readonly state: State;
}

/** The entry of a module that could be looked up. */
export function statusOfModule(module: InstalledModule): ModuleStatus {
  const { name, channel, component, manifest, template, state } = module;
  const entry = {
    name,
    channel,
    version: manifest.spec.version ?? "",
    fqdn: component,
    ocmComponentName: component,
  };
  if (module.unmanaged) return { ...entry, state: "Unmanaged" };
  const resource = resourceReference(manifest, template);
  return {
    ...entry,
    state,
    // Without the generation, which would change the status with every write of the Manifest.
    manifest: { apiVersion, kind: "Manifest", metadata: keyOf(manifest.metadata) },
    template: {
      apiVersion,
      kind: "ModuleTemplate",
      metadata: { ...keyOf(template.metadata), ...generationOf(template) },
    },
    ...(resource === undefined ? {} : { resource }),
  };
}

function keyOf({ name = "", namespace = "" }: Manifest["metadata"]): {
  readonly name: string;
  readonly namespace: string;
} {
  return { name, namespace };
}

function generationOf({ metadata }: ModuleTemplate): { readonly generation?: number } {
  return metadata.generation === undefined ? {} : { generation: metadata.generation };
}

function resourceReference(manifest: Manifest, template: ModuleTemplate): TrackingObject | undefined {
  const { resource } = manifest.spec;
  if (manifest.spec.customResourcePolicy !== "CreateAndDelete" || !resource) return undefined;
  const { name = "", namespace = "" } = resource.metadata ?? {};
  const clusterScoped = template.metadata.annotations?.[annotations.isClusterScoped] === "true";
  const metadata = { name, namespace: clusterScoped ? "" : namespace };
  return { apiVersion: resource.apiVersion, kind: resource.kind, metadata };
}
