import { isDeepStrictEqual } from "node:util";
import { compareVersions, type JsonObject, objectsAt, type Shoot, type ShootWorker } from "@kyma-operators/gardener";
import { entriesAt, isEmpty, listAt, textAt, valueAt } from "./validation/json.ts";

/** What a CloudProfile offers, checked against a Shoot; only what changed is looked at. */
export interface CatalogueInput {
  readonly next: Shoot;
  readonly old: Shoot | undefined;
  readonly profile: JsonObject;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Everything a Shoot asks for that its CloudProfile does not offer, as texts. */
export function catalogueProblems(input: CatalogueInput): readonly string[] {
  return [
    ...versionProblems(input),
    ...regionProblems(input),
    ...(input.next.spec.provider.workers ?? []).flatMap((worker) => workerProblems(worker, input)),
  ];
}

/** Kubernetes versions that can be had, newest first. */
export function offeredVersions(profile: JsonObject): readonly string[] {
  return names(profile, ["kubernetes", "versions"], "version").toSorted((a, b) => compareVersions(b, a) ?? 0);
}

/** Versions of a machine image that can be had, newest first. */
export function offeredImages(profile: JsonObject, name: string): readonly string[] {
  return names(imageOf(profile, name), ["versions"], "version").toSorted((a, b) => compareVersions(b, a) ?? 0);
}

function names(value: unknown, path: readonly string[], key: string): readonly string[] {
  return entriesAt(value, ...path).map(([, entry]) => textAt(entry, key));
}

function imageOf(profile: JsonObject, name: string): JsonObject | undefined {
  return entriesAt(valueAt(profile, "spec"), "machineImages").find(([, image]) => image["name"] === name)?.[1];
}

function versionProblems({ next, old, profile, now }: CatalogueInput): readonly string[] {
  const { version } = next.spec.kubernetes;
  if (version === old?.spec.kubernetes.version) return [];
  const offered = entriesAt(valueAt(profile, "spec"), "kubernetes", "versions").map(([, entry]) => entry);
  const found = offered.find((entry) => entry["version"] === version);
  if (found === undefined) return [`spec.kubernetes.version: ${version} is not offered by the cloud profile`];
  const isExpired = old === undefined && isPast(found["expirationDate"], now);
  return isExpired ? [`spec.kubernetes.version: ${version} is expired`] : [];
}

function isPast(date: unknown, now: number): boolean {
  return typeof date === "string" && Date.parse(date) < now;
}

function regionOf({ next, profile }: CatalogueInput): JsonObject | undefined {
  return entriesAt(valueAt(profile, "spec"), "regions").find(([, region]) => region["name"] === next.spec.region)?.[1];
}

function regionProblems(input: CatalogueInput): readonly string[] {
  const region = regionOf(input);
  if (region === undefined) return [`spec.region: ${input.next.spec.region} is not offered by the cloud profile`];
  const offered = new Set(objectsAt(region, "accessRestrictions").map(({ name }) => name));
  return (input.next.spec.accessRestrictions ?? [])
    .filter(({ name }) => !offered.has(name))
    .map(({ name }) => `spec.accessRestrictions: region ${input.next.spec.region} does not support ${name}`);
}

function workerProblems(worker: ShootWorker, input: CatalogueInput): readonly string[] {
  const before = input.old?.spec.provider.workers?.find(({ name }) => name === worker.name);
  const field = `spec.provider.workers[${worker.name}]`;
  const spec = valueAt(input.profile, "spec");
  const offers = (list: string, name: unknown): boolean =>
    entriesAt(spec, list).some(([, entry]) => entry["name"] === name && entry["usable"] !== false);
  const problems: string[] = [];
  if (worker.machine.type !== before?.machine.type && !offers("machineTypes", worker.machine.type)) {
    problems.push(`${field}.machine.type: ${worker.machine.type} is not offered by the cloud profile`);
  }
  const volume = textAt(worker, "volume", "type");
  if (!isEmpty(volume) && volume !== textAt(before, "volume", "type") && !offers("volumeTypes", volume)) {
    problems.push(`${field}.volume.type: ${volume} is not offered by the cloud profile`);
  }
  return [...problems, ...imageProblems(worker, before, input), ...zoneProblems(worker, before, input)];
}

function imageProblems(worker: ShootWorker, before: ShootWorker | undefined, input: CatalogueInput): readonly string[] {
  const { image } = worker.machine;
  if (image === undefined || isDeepStrictEqual(image, before?.machine.image)) return [];
  if (offeredImages(input.profile, image.name).includes(image.version ?? "")) return [];
  const field = `spec.provider.workers[${worker.name}].machine.image`;
  return [`${field}: ${image.name} ${image.version ?? ""} is not offered by the cloud profile`];
}

function zoneProblems(worker: ShootWorker, before: ShootWorker | undefined, input: CatalogueInput): readonly string[] {
  const zones = worker.zones ?? [];
  if (isDeepStrictEqual(zones, before?.zones ?? [])) return [];
  const offered = new Set(listAt(regionOf(input), "zones").map((zone) => textAt(zone, "name")));
  const field = `spec.provider.workers[${worker.name}].zones`;
  const unknown = zones.filter((zone) => !offered.has(zone)).map((zone) => `${field}: ${zone} is not in the region`);
  return new Set(zones).size === zones.length ? unknown : [...unknown, `${field}: a zone is listed twice`];
}
