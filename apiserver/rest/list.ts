import type { AnyObject } from "@kyma-operators/kube";
import { apiError, type FieldProblem, fieldProblem } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { apiVersionOf, readAs, type ServedResource } from "../resources/resource.ts";
import type { Stored } from "../storage/store.ts";
import { tableOf } from "../tables/table.ts";
import type { Call } from "./call.ts";
import { type Continuation, formatContinuation, parseContinuation } from "./continuation.ts";
import { isStoredForm } from "./get.ts";
import { queryInteger } from "./query.ts";
import { parseResourceVersion, tooLargeVersion } from "./resource-version.ts";
import { encode, partialMetadata, representationFor } from "./respond.ts";
import { selectionOf } from "./selection.ts";

/** One chunk of a list. */
interface Page {
  readonly revision: number;
  readonly items: readonly Stored[];
  readonly next: string | undefined;
  readonly remaining: number | undefined;
}

/** GET of a collection. */
export function list(call: Call): ApiResponse {
  const { as, format, version } = representationFor(call);
  const page = pageOf(call);
  const { resource, now, request } = call;
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.next === undefined ? {} : { continue: page.next }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  if (as === "" && format === "json") return encode(200, listText(call, page, metadata), { warnings: call.warnings });
  const items = page.items.map(({ object }) => readAs(resource, object));
  if (as === "Table") {
    const table = tableOf(resource, items, { version, now, include: request.query.get("includeObject") });
    return encode(200, { ...table, metadata }, { format, warnings: call.warnings });
  }
  if (as === "PartialObjectMetadataList") {
    const partial = items.map((item) => partialMetadata(item, version));
    return encode(
      200,
      { kind: as, apiVersion: `meta.k8s.io/${version}`, metadata, items: partial },
      { format, warnings: call.warnings },
    );
  }
  if (as !== "") throw apiError.notAcceptable(["application/json"]);
  const own = page.items.map(({ object }) => itemOf(resource, object));
  return encode(
    200,
    { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata, items: own },
    { format, warnings: call.warnings },
  );
}

/** The list as text, put together from the texts of its items. */
function listText(call: Call, { items }: Page, metadata: unknown): string {
  const { resource } = call;
  const head = JSON.stringify({ kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata });
  return `${head.slice(0, -1)},"items":[${items.map((stored) => itemText(call, stored)).join(",")}]}`;
}

/** Items of built-in kinds leave out what the list says already; those of custom kinds say it again. */
function itemText(call: Call, stored: Stored): string {
  const { resource } = call;
  if (isStoredForm(stored.object.apiVersion, call))
    return resource.custom === undefined ? stored.itemJson() : stored.json();
  return JSON.stringify(itemOf(resource, stored.object));
}

function itemOf(resource: ServedResource, object: AnyObject): unknown {
  const shown = readAs(resource, object);
  if (resource.custom !== undefined) return shown;
  const { kind: _, apiVersion: _1, ...item } = shown;
  return item;
}

function pageOf(call: Call): Page {
  const { query } = call.request;
  const token = query.get("continue") ?? "";
  const limit = limitOf(query);
  const continuation = token === "" ? undefined : parseContinuation(token);
  const version = parseResourceVersion(query.get("resourceVersion"));
  checkMatch(call, version, token);
  const { store } = call.core;
  if (version !== undefined && version > store.revision) throw tooLargeVersion(version, store.revision);
  const exact = query.get("resourceVersionMatch") === "Exact" ? version : undefined;
  const revision = continuation?.revision ?? exact ?? store.revision;
  return cut(call, { revision, limit, after: continuation?.after });
}

/** Most items of a chunk; 0: all. Of `timeoutSeconds` only the form matters: lists take no time. */
function limitOf(query: URLSearchParams): number {
  queryInteger(query, "timeoutSeconds");
  return Math.max(0, queryInteger(query, "limit") ?? 0);
}

function cut(
  call: Call,
  { revision, limit, after }: { revision: number; limit: number; after: Continuation["after"] | undefined },
): Page {
  const selection = selectionOf(call);
  const all = itemsAt(call, selection.namespace, revision);
  if (all === undefined) throw expired(after !== undefined);
  const selected = all.filter(
    (stored) =>
      (after === undefined || isAfter(stored, after)) && (selection.isEverything || selection.matches(stored.object)),
  );
  if (limit === 0 || selected.length <= limit)
    return { revision, items: selected, next: undefined, remaining: undefined };
  const items = selected.slice(0, limit);
  const remaining = selection.isEverything ? selected.length - limit : undefined;
  return { revision, items, next: continuationAfter(items, revision), remaining };
}

function continuationAfter(items: readonly Stored[], revision: number): string {
  const { namespace = "", name = "" } = items.at(-1)?.object.metadata ?? {};
  return formatContinuation({ revision, after: [namespace, name] });
}

function itemsAt(
  { core, resource }: Call,
  namespace: string | undefined,
  revision: number,
): readonly Stored[] | undefined {
  const { store } = core;
  return revision === store.revision
    ? store.list(resource.collection, namespace)
    : store.listAt(resource.collection, namespace, revision);
}

function isAfter({ object: { metadata } }: Stored, [namespace, name]: Continuation["after"]): boolean {
  const own = metadata.namespace ?? "";
  return own === namespace ? (metadata.name ?? "") > name : own > namespace;
}

function expired(isContinued: boolean): Error {
  return apiError.expired(
    isContinued
      ? "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list."
      : "The resourceVersion for the provided list is too old.",
  );
}

function checkMatch({ request }: Call, version: number | undefined, token: string): void {
  const match = request.query.get("resourceVersionMatch") ?? "";
  if (token !== "" && version !== undefined && version !== 0) {
    throw apiError.badRequest("specifying resource version is not allowed when using continue");
  }
  const problems = [...matchProblems(match, version, token), ...initialEventsProblems(request.query)];
  if (problems.length > 0) throw apiError.invalid(listOptions, problems);
}

const listOptions = { resource: "", kind: "ListOptions", group: "meta.k8s.io", name: "" };

function matchProblems(match: string, version: number | undefined, token: string): readonly FieldProblem[] {
  if (match === "") return [];
  const forbidden = (detail: string): FieldProblem =>
    fieldProblem("FieldValueForbidden", "resourceVersionMatch", detail);
  if (token !== "") return [forbidden("resourceVersionMatch is forbidden when continue is provided")];
  const unset = version === undefined ? ["resourceVersionMatch is forbidden unless resourceVersion is provided"] : [];
  if (match !== "Exact" && match !== "NotOlderThan") {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`;
    return [...unset.map(forbidden), { reason: "FieldValueNotSupported", field: "resourceVersionMatch", message }];
  }
  const isAny = match === "Exact" && version === 0;
  const any = isAny ? ['resourceVersionMatch "exact" is forbidden for resourceVersion "0"'] : [];
  return [...unset, ...any].map(forbidden);
}

function initialEventsProblems(query: URLSearchParams): readonly FieldProblem[] {
  if (!query.has("sendInitialEvents")) return [];
  return [fieldProblem("FieldValueForbidden", "sendInitialEvents", "sendInitialEvents is forbidden for list")];
}
