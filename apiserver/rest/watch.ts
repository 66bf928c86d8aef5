import type { AnyObject } from "@kyma-operators/kube";
import { apiError, type FieldProblem, fieldProblem } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { isTrue } from "../http/request-info.ts";
import { apiVersionOf, readAs } from "../resources/resource.ts";
import { type Stored, type StoreEvent, storedVersion } from "../storage/store.ts";
import { tableOf } from "../tables/table.ts";
import type { Call } from "./call.ts";
import { EventStream, eventText } from "./event-stream.ts";
import { isStoredForm } from "./get.ts";
import { queryInteger } from "./query.ts";
import { parseReadVersion, tooLargeVersion, tooOldVersion } from "./resource-version.ts";
import { partialMetadata, representationFor } from "./respond.ts";
import { type Selection, selectionOf } from "./selection.ts";

const bookmarkMs = 60_000;
const defaultTimeoutSeconds = 30 * 60;

/** What the query of a watch asks for. */
interface WatchOptions {
  /** Where to start; `undefined`: with what is there now. */
  readonly from: number | undefined;
  readonly bookmarks: boolean;
  /** Ends the initial objects with a bookmark that says so. */
  readonly initialEvents: boolean;
  readonly timeoutMs: number;
}

/** GET of a collection with `watch`. Throws 410 when the history it starts from is forgotten. */
export function watch(call: Call): ApiResponse {
  const { store } = call.core;
  const options = parseWatchOptions(call);
  const selection = selectionOf(call);
  const format = eventFormat(call);
  if (options.from !== undefined && options.from > store.revision) throw tooLargeVersion(options.from, store.revision);
  const stream = new EventStream(call.request.signal, call.core.waitingEvents);
  const { collection } = call.resource;
  const start = options.from ?? store.revision;
  if (options.from === undefined || options.initialEvents)
    stream.startWith(initialEvents(call, { selection, format, options }));
  const listener = (event: StoreEvent): void => sendChange(stream, event, selection, format);
  const from = options.initialEvents ? store.revision : start;
  const unsubscribe = store.subscribe(collection, from, listener);
  if (unsubscribe === undefined) throw tooOldVersion(from, store.oldest(collection));
  stream.onEnd(unsubscribe);
  schedule(call, stream, options);
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-cache, private" },
    body: stream,
  };
}

/** Turns one state into the text of an event object. */
type EventFormat = (stored: Stored) => string;

function eventFormat(call: Call): EventFormat {
  const { as, format, version } = representationFor(call);
  const { resource, now, request } = call;
  if (format === "protobuf") throw apiError.notAcceptable(["application/json"]);
  if (as === "Table") {
    // Only the first event carries the columns.
    let first = true;
    return ({ object }) => {
      const table = tableOf(resource, [readAs(resource, object)], {
        version,
        now,
        include: request.query.get("includeObject"),
      });
      const shown = first ? table : { ...table, columnDefinitions: [] };
      first = false;
      return JSON.stringify(shown);
    };
  }
  if (as === "PartialObjectMetadata") return ({ object }) => JSON.stringify(partialMetadata(object, version));
  if (as !== "") throw apiError.notAcceptable(["application/json"]);
  return (stored) =>
    isStoredForm(stored.object.apiVersion, call) ? stored.json() : JSON.stringify(readAs(resource, stored.object));
}

function parseWatchOptions({ request: { query } }: Call): WatchOptions {
  const timeout = queryInteger(query, "timeoutSeconds") ?? 0;
  const version = parseReadVersion(query.get("resourceVersion"));
  const initialEvents = wantsInitialEvents(query);
  return {
    from: version === 0 || (initialEvents && version === undefined) ? undefined : version,
    bookmarks: isTrue(query.get("allowWatchBookmarks")),
    initialEvents,
    timeoutMs: (timeout > 0 ? timeout : defaultTimeoutSeconds) * 1000,
  };
}

/** Reads `sendInitialEvents`, which goes with `resourceVersionMatch` only. Throws 422. */
function wantsInitialEvents(query: URLSearchParams): boolean {
  const match = query.get("resourceVersionMatch") ?? "";
  const wanted = query.get("sendInitialEvents");
  const field = "resourceVersionMatch";
  const problems: FieldProblem[] = [];
  if (wanted === null && match !== "") {
    const detail = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    problems.push(fieldProblem("FieldValueForbidden", field, detail));
  }
  if (wanted !== null && match !== "NotOlderThan") {
    const detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    problems.push(fieldProblem("FieldValueForbidden", field, detail));
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`;
    if (match !== "") problems.push({ reason: "FieldValueNotSupported", field, message });
  }
  if (problems.length > 0)
    throw apiError.invalid({ resource: "", kind: "ListOptions", group: "meta.k8s.io", name: "" }, problems);
  return isTrue(wanted);
}

interface Sending {
  readonly selection: Selection;
  readonly format: EventFormat;
  readonly options: WatchOptions;
}

/** What there is at this moment, and with it, if wanted, the bookmark that ends it. */
function initialEvents(call: Call, { selection, format, options }: Sending): Iterable<string> {
  const { core, resource } = call;
  const present = core.store.list(resource.collection, selection.namespace);
  const end = { annotations: { "k8s.io/initial-events-end": "true" } };
  const bookmark = options.initialEvents && options.bookmarks ? bookmarkText(call, end) : undefined;
  return (function* texts(): Generator<string> {
    for (const stored of present) {
      if (selection.matches(stored.object)) yield eventText("ADDED", format(stored));
    }
    if (bookmark !== undefined) yield eventText("BOOKMARK", bookmark);
  })();
}

/** An object that starts or ceases to match comes or goes for this client. */
function sendChange(stream: EventStream, event: StoreEvent, selection: Selection, format: EventFormat): void {
  if (selection.namespace !== undefined && event.namespace !== selection.namespace) return;
  const { stored, previous, type } = event;
  if (selection.isEverything) {
    stream.push(type, format(stored));
    return;
  }
  const matches = type !== "DELETED" && selection.matches(stored.object);
  const matched = previous !== undefined && selection.matches(previous.object);
  if (matches) stream.push(matched ? "MODIFIED" : "ADDED", format(stored));
  else if (matched) stream.push("DELETED", format(atRevision(previous, stored)));
}

/** The last state that the client has seen, with the version of the change that took it away. */
function atRevision({ object }: Stored, { revision, object: { metadata } }: Stored): Stored {
  const { resourceVersion = "" } = metadata;
  return storedVersion({ ...object, metadata: { ...object.metadata, resourceVersion } }, revision);
}

function bookmarkText({ core, resource }: Call, metadata: Readonly<Record<string, unknown>> = {}): string {
  const object = {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { ...metadata, resourceVersion: String(core.store.revision) },
  } satisfies Omit<AnyObject, "metadata"> & { metadata: unknown };
  return JSON.stringify(object);
}

function schedule(call: Call, stream: EventStream, { bookmarks, timeoutMs }: WatchOptions): void {
  const { clock } = call.core;
  let cancelBookmark = (): void => undefined;
  const next = (): void => {
    cancelBookmark = clock.after(bookmarkMs, () => {
      stream.push("BOOKMARK", bookmarkText(call));
      next();
    });
  };
  if (bookmarks) next();
  const cancelEnd = clock.after(timeoutMs, () => {
    if (bookmarks) stream.push("BOOKMARK", bookmarkText(call));
    stream.end();
  });
  stream.onEnd(() => {
    cancelBookmark();
    cancelEnd();
  });
}
