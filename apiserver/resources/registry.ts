import { apiVersionOf, type ServedResource } from "./resource.ts";

/** One API group with its versions in order of preference. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Which resources are served. Changes when CustomResourceDefinitions come and go. */
export class Registry {
  readonly #resources = new Map<string, ServedResource>();
  readonly #order: string[];
  /** Counts changes, so that what is derived from the registry can be kept until it moves. */
  #generation = 0;

  /** @param groups - names of built-in groups in the order in which discovery lists them. */
  constructor(builtin: readonly ServedResource[], groups: readonly string[]) {
    this.#order = [...groups];
    for (const resource of builtin) this.#resources.set(keyOf(resource), resource);
  }

  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(`${group}/${version}/${plural}`);
  }

  byKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.all().find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  /** Any version of a stored collection. */
  byCollection(collection: string): ServedResource | undefined {
    return this.all().find((resource) => resource.collection === collection);
  }

  all(): readonly ServedResource[] {
    return [...this.#resources.values()];
  }

  inVersion(group: string, version: string): readonly ServedResource[] {
    return this.all().filter((resource) => resource.group === group && resource.version === version);
  }

  /** Whether the group is served for a CustomResourceDefinition. */
  isCustom(group: string): boolean {
    return this.all().some((resource) => resource.group === group && resource.custom !== undefined);
  }

  /** Groups with a name, built-in ones first. */
  groups(): readonly ServedGroup[] {
    const versions = Map.groupBy(this.all(), ({ group }) => group);
    const names = [...versions.keys()].filter((name) => name !== "");
    return names
      .sort((a, b) => this.#rank(a) - this.#rank(b))
      .map((name) => ({
        name,
        versions: [...new Set((versions.get(name) ?? []).map(({ version }) => version))].sort(compareVersions),
      }));
  }

  /** Replaces what one CustomResourceDefinition serves. */
  replaceCustom(definition: string, resources: readonly ServedResource[]): void {
    for (const [key, { custom }] of this.#resources) if (custom?.definition === definition) this.#resources.delete(key);
    for (const resource of resources) this.#resources.set(keyOf(resource), resource);
    this.#generation += 1;
  }

  #rank(group: string): number {
    const index = this.#order.indexOf(group);
    if (index >= 0) return index;
    this.#order.push(group);
    return this.#order.length - 1;
  }
}

const keyOf = ({ group, version, plural }: ServedResource): string => `${group}/${version}/${plural}`;

/** Kubernetes' order of preference: v2 before v1, v1 before v1beta2, beta before alpha, other names last. */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    if (left === undefined && right === undefined) return a < b ? -1 : 1;
    return left === undefined ? 1 : -1;
  }
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? 0;
    if (part !== other) return other - part;
  }
  return 0;
}

function parseVersion(text: string): readonly number[] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const stability = { alpha: 0, beta: 1, ga: 2 }[match[2] ?? "ga"] ?? 0;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
