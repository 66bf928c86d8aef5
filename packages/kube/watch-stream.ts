import { kubeErrors, type NoAnswerDetail } from "./errors.ts";
import { isObject } from "./list.ts";
import { errorFromStatus } from "./status.ts";
import type { TransportResponse } from "./transport.ts";
import type { KubeObject } from "./types.ts";

/** Longest line of a watch; etcd refuses objects above 1.5 MiB, some servers are configured for more. */
const lineLimitBytes = 16 * 1024 * 1024;

const newline = 0x0a;
const decoder = new TextDecoder();

/** One line of a watch as it came. */
export interface RawEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: KubeObject;
}

/**
 * Splits a watch body into events.
 *
 * An `ERROR` event is thrown as its typed error (410 becomes `KUBE_GONE`); a line that is no event is thrown as
 * `KUBE_MALFORMED`. A last line without its newline was cut off by the connection and is dropped: the watch is
 * resumed from the version before it.
 */
export async function* readEvents(
  { body, mask }: Pick<TransportResponse, "body" | "mask">,
  detail: NoAnswerDetail,
  onChunk: () => void,
): AsyncGenerator<RawEvent> {
  const pending = new LineBuffer(detail);
  for await (const chunk of body) {
    onChunk();
    for (const line of pending.push(chunk)) {
      if (line !== "") yield parseEvent(line, detail, mask);
    }
  }
}

/** Gathers chunks until a line is whole; never copies a byte twice. */
class LineBuffer {
  readonly #detail: NoAnswerDetail;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(detail: NoAnswerDetail) {
    this.#detail = detail;
  }

  *push(chunk: Uint8Array): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield this.#take(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.byteLength) this.#keep(chunk.subarray(start));
  }

  #take(last: Uint8Array): string {
    if (this.#parts.length === 0) return decoder.decode(last);
    const line = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#bytes = 0;
    return decoder.decode(line);
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.byteLength;
    if (this.#bytes > lineLimitBytes) throw kubeErrors.TOO_LARGE({ ...this.#detail, limitBytes: lineLimitBytes });
    this.#parts.push(part);
  }
}

const eventTypes: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

function parseEvent(line: string, detail: NoAnswerDetail, mask: TransportResponse["mask"]): RawEvent {
  const event = parseLine(line, detail);
  if (typeof event !== "object" || event === null || !("type" in event) || !("object" in event)) {
    throw kubeErrors.MALFORMED({ ...detail, problem: "a watch line without type and object" });
  }
  if (event.type === "ERROR") throw errorFromEvent(event.object, detail, mask);
  if (!eventTypes.has(event.type) || !isObject(event.object)) {
    throw kubeErrors.MALFORMED({ ...detail, problem: "a watch event of an unknown type or without object" });
  }
  return event as RawEvent;
}

function parseLine(line: string, detail: NoAnswerDetail): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw kubeErrors.MALFORMED({ ...detail, problem: "a watch line that is no JSON" });
  }
}

function errorFromEvent(status: unknown, detail: NoAnswerDetail, mask: TransportResponse["mask"]): Error {
  const code = typeof status === "object" && status !== null && "code" in status ? Number(status.code) : Number.NaN;
  const answer = { ...detail, status: Number.isInteger(code) ? code : 500, body: status };
  return errorFromStatus(mask === undefined ? answer : { ...answer, mask });
}
