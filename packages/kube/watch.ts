import type { WatchEvent, WatchOptions } from "./client-types.ts";
import { startDeadline } from "./deadline.ts";
import { kubeErrors } from "./errors.ts";
import { asKind } from "./list.ts";
import { collectionPath, watchQuery } from "./paths.ts";
import type { Call, Requester } from "./requester.ts";
import type { KubeObject, Resource } from "./types.ts";
import { type RawEvent, readEvents } from "./watch-stream.ts";

const metadataType = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/** Longest silence of a watch whose caller names none: bookmarks come about once a minute. */
const idleTimeoutMs = 240_000;

/**
 * The changes of a collection until the server ends the stream, the consumer stops or something fails.
 *
 * Silence longer than the idle time is `KUBE_TIMEOUT`. Leaving the loop closes the connection.
 */
export async function* watchCollection<T extends KubeObject>(
  requester: Requester,
  resource: Resource,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const call: Call = {
    method: "GET",
    path: collectionPath(resource, options.namespace) + watchQuery(options),
    ...(options.metadataOnly === true ? { accept: metadataType } : {}),
  };
  const detail = requester.detailOf(call);
  const timeoutMs = options.idleTimeoutMs ?? idleTimeoutMs;
  const reason = (): unknown => kubeErrors.TIMEOUT({ ...detail, afterMs: timeoutMs });
  using silence = startDeadline(requester.clock, { timeoutMs, signal: options.signal, reason });
  try {
    const response = await requester.stream(call, silence.signal);
    for await (const event of readEvents(response, detail, () => silence.restart())) yield eventOf<T>(event, resource);
  } finally {
    silence.abort(kubeErrors.CLOSED({ host: requester.host }));
  }
}

function eventOf<T extends KubeObject>(event: RawEvent, resource: Resource): WatchEvent<T> {
  const object = event.object as T;
  if (event.type !== "BOOKMARK") return { type: event.type, object: asKind(object, resource) };
  return { type: "BOOKMARK", resourceVersion: object.metadata.resourceVersion ?? "" };
}
