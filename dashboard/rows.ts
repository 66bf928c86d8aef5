import type { KubeObject } from "@kyma-operators/kube";
import type { Store } from "@kyma-operators/runtime";
import { labels as runtimeLabels } from "../apis/infrastructure/names.ts";
import type { Runtime } from "../apis/infrastructure/runtime.ts";
import { defaultChannel, type Kyma, type ModuleStatus } from "../apis/operator/kyma.ts";
import { labels } from "../apis/operator/labels.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { blockerOf, stateOf } from "../apis/progress.ts";
import type { Sources } from "./sources.ts";

/** The lists of the fleet, in the order in which things happen. */
export const fleetKinds = ["runtimes", "kymas", "modules", "manifests"] as const;
export type FleetKind = (typeof fleetKinds)[number];

/** One line of the fleet. */
export interface FleetRow {
  readonly name: string;
  /** Name of the Kyma it belongs to; empty when it has none. */
  readonly kyma: string;
  readonly state: string;
  readonly details: string;
  /** RFC 3339; empty when unknown. */
  readonly created: string;
  readonly blocker: string;
}

/** The kinds that this process watches. */
export function watchedKinds(sources: Sources): readonly FleetKind[] {
  return fleetKinds.filter((kind) => informerOf(sources, kind) !== undefined);
}

/** False while the first list of a kind is being read. */
export function isComplete(sources: Sources, kind: FleetKind): boolean {
  return informerOf(sources, kind)?.synced ?? false;
}

function informerOf(sources: Sources, kind: FleetKind) {
  return sources[kind === "modules" ? "kymas" : kind];
}

/** States of everything of a kind; much cheaper than its rows. */
export function statesOf(sources: Sources, kind: FleetKind): readonly string[] {
  if (kind !== "modules") return (informerOf(sources, kind)?.store.list() ?? []).map(stateOf);
  return (sources.kymas?.store.list() ?? []).flatMap(({ status }) => status?.modules?.map(moduleState) ?? []);
}

/** Everything of a kind, in no order. */
export function rowsOf(sources: Sources, kind: FleetKind): readonly FleetRow[] {
  return rowsByKind[kind](sources);
}

const rowsByKind: Readonly<Record<FleetKind, (sources: Sources) => readonly FleetRow[]>> = {
  runtimes: ({ runtimes }) => (runtimes?.store.list() ?? []).map(runtimeRow),
  kymas: ({ kymas }) => (kymas?.store.list() ?? []).map(kymaRow),
  modules: ({ kymas, manifests }) => (kymas?.store.list() ?? []).flatMap((kyma) => moduleRows(kyma, manifests?.store)),
  manifests: ({ manifests }) => (manifests?.store.list() ?? []).map(manifestRow),
};

function common(object: KubeObject): Pick<FleetRow, "name" | "state" | "created" | "blocker"> {
  return {
    name: object.metadata.name ?? "",
    state: stateOf(object),
    created: object.metadata.creationTimestamp ?? "",
    blocker: blockerOf(object),
  };
}

function runtimeRow(runtime: Runtime): FleetRow {
  const { provider, region } = runtime.spec.shoot;
  return {
    ...common(runtime),
    kyma: runtime.metadata.labels?.[runtimeLabels.kymaName] ?? "",
    details: joined([provider.type, region]),
  };
}

function kymaRow(kyma: Kyma): FleetRow {
  return { ...common(kyma), kyma: kyma.metadata.name ?? "", details: joined([channelOf(kyma), readyModules(kyma)]) };
}

/** The modules of a Kyma with the age of their Manifests. */
export function moduleRows(kyma: Kyma, manifests: Store<Manifest> | undefined): readonly FleetRow[] {
  return (kyma.status?.modules ?? []).map((module) => moduleRow(kyma, module, manifests));
}

function moduleRow(kyma: Kyma, module: ModuleStatus, manifests: Store<Manifest> | undefined): FleetRow {
  const { name = "", namespace = "" } = module.manifest?.metadata ?? {};
  const manifest = manifests?.get({ namespace, name });
  const state = moduleState(module);
  return {
    name: module.name,
    kyma: kyma.metadata.name ?? "",
    state,
    details: moduleDetails(module),
    created: manifest?.metadata.creationTimestamp ?? "",
    blocker: state === "Ready" ? "" : moduleBlocker(module, manifest),
  };
}

function moduleDetails({ channel, version, maintenance }: ModuleStatus): string {
  return joined([channel, version, maintenance ? "waits for a maintenance window" : ""]);
}

function moduleBlocker({ message = "" }: ModuleStatus, manifest: Manifest | undefined): string {
  return message === "" && manifest !== undefined ? blockerOf(manifest) : message;
}

function manifestRow(manifest: Manifest): FleetRow {
  const label = manifest.metadata.labels;
  return {
    ...common(manifest),
    kyma: label?.[labels.kymaName] ?? "",
    details: joined([label?.[labels.moduleName] ?? "", manifest.spec.version]),
  };
}

function moduleState({ state }: ModuleStatus): string {
  return state || "Pending";
}

export function channelOf({ spec, status }: Kyma): string {
  return status?.activeChannel || spec.channel || defaultChannel;
}

/** For example `4 of 5 modules ready`. */
export function readyModules({ status, spec }: Kyma): string {
  const modules = status?.modules ?? [];
  const known = Math.max(modules.length, spec.modules?.length ?? 0);
  if (known === 0) return "no modules";
  return `${modules.filter(({ state }) => state === "Ready").length} of ${known} modules ready`;
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}
