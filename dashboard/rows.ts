import type { KubeObject } from "@kyma-operators/kube";
import type { Store } from "@kyma-operators/runtime";
import type { Runtime } from "../apis/infrastructure/runtime.ts";
import { defaultChannel, type Kyma, type ModuleStatus } from "../apis/operator/kyma.ts";
import { labels } from "../apis/operator/labels.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { blockerOf, stateOf } from "../apis/progress.ts";
import type { Sources } from "./sources.ts";

/** The lists of the fleet, in the order in which things happen. */
export const fleetKinds = ["runtimes", "kymas", "modules", "manifests"] as const;
export type FleetKind = (typeof fleetKinds)[number];

/** One line of the fleet. Texts are made when they are asked for: most rows are only counted, compared and left out. */
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
  runtimes: ({ runtimes }) => (runtimes?.store.list() ?? []).map((runtime) => new ObjectRow(runtime, runtimeDetails)),
  kymas: ({ kymas }) => (kymas?.store.list() ?? []).map((kyma) => new ObjectRow(kyma, kymaDetails)),
  modules: ({ kymas, manifests }) => (kymas?.store.list() ?? []).flatMap((kyma) => moduleRows(kyma, manifests?.store)),
  manifests: ({ manifests }) =>
    (manifests?.store.list() ?? []).map((manifest) => new ObjectRow(manifest, manifestDetails)),
};

/** A class, because a literal with accessors takes ten times as long to make. */
class ObjectRow<T extends KubeObject> implements FleetRow {
  readonly name: string;
  readonly state: string;
  readonly #object: T;
  readonly #detailsOf: (object: T) => string;

  constructor(object: T, detailsOf: (object: T) => string) {
    this.name = object.metadata.name ?? "";
    this.state = stateOf(object);
    this.#object = object;
    this.#detailsOf = detailsOf;
  }

  get kyma(): string {
    const { kind, metadata } = this.#object;
    return kind === "Kyma" ? this.name : (metadata.labels?.[labels.kymaName] ?? "");
  }

  get created(): string {
    return this.#object.metadata.creationTimestamp ?? "";
  }

  get details(): string {
    return this.#detailsOf(this.#object);
  }

  get blocker(): string {
    return blockerOf(this.#object);
  }
}

function runtimeDetails(runtime: Runtime): string {
  return joined(placeOf(runtime));
}

/** Provider and region, as far as they are known: the CRDs require no spec, and one object must not take the page. */
export function placeOf({ spec }: Runtime): readonly string[] {
  return [spec?.shoot?.provider?.type, spec?.shoot?.region].filter((part) => part !== undefined);
}

function kymaDetails(kyma: Kyma): string {
  return joined([channelOf(kyma), readyModules(kyma)]);
}

function manifestDetails({ metadata, spec }: Manifest): string {
  return joined([metadata.labels?.[labels.moduleName], spec?.version]);
}

/** The modules of a Kyma with the age of their Manifests. */
export function moduleRows(kyma: Kyma, manifests: Store<Manifest> | undefined): readonly FleetRow[] {
  return (kyma.status?.modules ?? []).map((module) => new ModuleRow(kyma.metadata.name ?? "", module, manifests));
}

class ModuleRow implements FleetRow {
  readonly name: string;
  readonly kyma: string;
  readonly state: string;
  readonly #module: ModuleStatus;
  readonly #manifests: Store<Manifest> | undefined;

  constructor(kyma: string, module: ModuleStatus, manifests: Store<Manifest> | undefined) {
    this.name = module.name;
    this.kyma = kyma;
    this.state = moduleState(module);
    this.#module = module;
    this.#manifests = manifests;
  }

  get created(): string {
    return this.#manifest?.metadata.creationTimestamp ?? "";
  }

  get details(): string {
    return moduleDetails(this.#module);
  }

  get blocker(): string {
    return moduleBlocker(this.#module, this.#manifest);
  }

  get #manifest(): Manifest | undefined {
    const { name = "", namespace = "" } = this.#module.manifest?.metadata ?? {};
    return this.#manifests?.get({ namespace, name });
  }
}

function moduleDetails({ channel, version, maintenance }: ModuleStatus): string {
  return joined([channel, version, maintenance ? "waits for a maintenance window" : ""]);
}

function moduleBlocker(module: ModuleStatus, manifest: Manifest | undefined): string {
  if (moduleState(module) === "Ready") return "";
  return module.message || (manifest === undefined ? "" : blockerOf(manifest));
}

function moduleState({ state }: ModuleStatus): string {
  return state || "Pending";
}

export function channelOf({ spec, status }: Kyma): string {
  return status?.activeChannel || spec?.channel || defaultChannel;
}

/** For example `4 of 5 modules ready`. */
export function readyModules({ status, spec }: Kyma): string {
  const modules = status?.modules ?? [];
  const known = Math.max(modules.length, spec?.modules?.length ?? 0);
  if (known === 0) return "no modules";
  return `${modules.filter(({ state }) => state === "Ready").length} of ${known} modules ready`;
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" · ");
}
