import type { AnyObject } from "@kyma-operators/kube";
import type { Schema } from "@kyma-operators/schema";
import type { FieldProblem, Subject } from "../api-error.ts";
import { goShape } from "./go-shape.ts";
import type { NameCheck } from "./names.ts";
import { isDns1123Subdomain } from "./names.ts";

/** What a strategy may look at besides the object. */
export interface StrategyContext {
  readonly now: number;
  get(collection: string, namespace: string, name: string): AnyObject | undefined;
  list(collection: string, namespace?: string): readonly AnyObject[];
}

/**
 * The rules of one kind that its schema does not hold. Functions take frozen objects and return a changed copy, or
 * the same object when there is nothing to do.
 */
export interface Strategy {
  readonly checkName: NameCheck;
  /** `status` is written by its subresource only. */
  readonly hasStatus: boolean;
  /** Whether an update raises `metadata.generation`; absent: the kind has no generation. */
  readonly raisesGeneration?: (next: AnyObject, old: AnyObject) => boolean;
  /** Fills what Kubernetes fills in every object of the kind, also on reads of incomplete input. */
  readonly fillDefaults?: (object: AnyObject) => AnyObject;
  readonly prepareCreate?: (object: AnyObject, context: StrategyContext) => AnyObject;
  readonly prepareUpdate?: (next: AnyObject, old: AnyObject, context: StrategyContext) => AnyObject;
  readonly validate?: (
    object: AnyObject,
    old: AnyObject | undefined,
    context: StrategyContext,
  ) => readonly FieldProblem[];
  /** Seconds between the request to delete and the removal; absent: none. */
  readonly gracePeriodSeconds?: (object: AnyObject) => number;
  /** A DELETE that removes at once answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean;
  /** PUT and apply of an absent object create it; PUT only where this is true. */
  readonly createsOnUpdate?: boolean;
}

/** A subresource as discovery shows it. */
export interface Subresource {
  readonly kind: string;
  /** Group and version of the kind when they differ, for example `autoscaling/v1` of Scale. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** Where `scale` finds its numbers, as dotted paths. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly labelSelector: readonly string[] | undefined;
}

/** One column of a table, as `additionalPrinterColumns` has it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** What only custom resources have. */
export interface CustomResource {
  /** Name of the CustomResourceDefinition. */
  readonly definition: string;
  readonly columns: readonly PrinterColumn[] | undefined;
  readonly selectableFields: readonly string[];
  readonly rawSchema: Readonly<Record<string, unknown>> | undefined;
  /** Warning of a deprecated version. */
  readonly deprecation: string | undefined;
}

/** One resource in one version, ready to be served. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** `group/plural` of the storage; all versions share it. */
  readonly collection: string;
  /** The whole object, `metadata` included. */
  readonly schema: Schema;
  readonly strategy: Strategy;
  readonly scale: ScalePaths | undefined;
  readonly custom: CustomResource | undefined;
  /** Between the form of the storage and the form of this version; absent: only `apiVersion` differs. */
  readonly fromStorage?: (object: AnyObject) => AnyObject;
  readonly toStorage?: (object: AnyObject) => AnyObject;
}

/** `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Names an object of the resource in messages. */
export function subjectOf(resource: ServedResource, name = ""): Subject {
  return { resource: resource.plural, kind: resource.kind, group: resource.group, name };
}

/** The object as this version shows it. */
export function readAs(resource: ServedResource, stored: AnyObject): AnyObject {
  if (resource.fromStorage !== undefined) return resource.fromStorage(stored);
  const apiVersion = apiVersionOf(resource);
  return stored.apiVersion === apiVersion ? stored : { ...stored, apiVersion };
}

/** Fills what the kind's rules fill in and drops what its type leaves out; the same object when there is nothing to do. */
export function withDefaults({ strategy, custom }: ServedResource, object: AnyObject): AnyObject {
  const filled = strategy.fillDefaults?.(object) ?? object;
  return custom === undefined ? goShape(filled, false) : filled;
}

/** Fills what the kind's rules and its type fill in; the same object when there is nothing to do. */
export function complete({ strategy, custom }: ServedResource, object: AnyObject): AnyObject {
  const filled = strategy.fillDefaults?.(object) ?? object;
  return custom === undefined ? goShape(filled, true) : filled;
}

/** The object as it is kept. */
export function storeAs(resource: ServedResource, object: AnyObject): AnyObject {
  return resource.toStorage === undefined ? object : resource.toStorage(object);
}

/** Whether anything but `metadata`, `status` and the version differs. */
export function specDiffers(next: AnyObject, old: AnyObject): boolean {
  const ignored = new Set(["metadata", "status", "apiVersion", "kind"]);
  const fields = new Set([...Object.keys(next), ...Object.keys(old)].filter((field) => !ignored.has(field)));
  return [...fields].some((field) => !equal(next[field], old[field]));
}

/** Deep equality of JSON values; an absent field equals `undefined`. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalFields(a as Fields, b as Fields);
}

type Fields = Readonly<Record<string, unknown>>;

function equalFields(a: Fields, b: Fields): boolean {
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const size = Object.values(b).filter((value) => value !== undefined).length;
  return left.length === size && left.every(([key, value]) => Object.hasOwn(b, key) && equal(value, b[key]));
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => equal(value, b[index]));
}

/** The rules of a kind without rules of its own. */
export const plainStrategy: Strategy = { checkName: isDns1123Subdomain, hasStatus: false };
