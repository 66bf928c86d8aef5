import { TextDecoder } from "node:util";
import type { AnyObject } from "@kyma-operators/kube";
import { apiError } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { isTrue } from "../http/request-info.ts";
import { asText, listAt } from "../resources/kinds/edit.ts";
import { isFinished } from "../workload/pod-state.ts";
import { type Call, keyOf, storedObject } from "./call.ts";

const followMs = 500;

/** GET of `pods/<name>/log`: what a container printed; nothing for simulated ones. Throws 400 for a wrong query. */
export async function readPodLog(call: Call): Promise<ApiResponse> {
  const { core, request } = call;
  const pod = storedObject(call);
  const container = containerOf(call, pod);
  const tail = tailOf(call);
  const { bytes, end } = await core.podLog(pod, container, 0);
  const decoder = new TextDecoder();
  const text = decoder.decode(bytes, { stream: true });
  const first = tail === undefined ? text : lastLines(text, tail);
  const follows = isTrue(request.query.get("follow"));
  const body = follows ? followed(call, { pod, container, first, end, decoder }) : first + decoder.decode();
  return { status: 200, headers: { "content-type": "text/plain" }, body };
}

interface Following {
  /** As it was when the log was asked for; it may be gone when the client begins to read. */
  readonly pod: AnyObject;
  readonly container: string;
  readonly first: string;
  readonly end: number;
  readonly decoder: TextDecoder;
}

/** The log as it grows, until the Pod has ended and all of it is read, or the client leaves. */
async function* followed(call: Call, { pod, container, first, end, decoder }: Following): AsyncGenerator<string> {
  const { core, request } = call;
  if (first !== "") yield first;
  for (let from = end; !request.signal.aborted; ) {
    const goesOn = isRunning(call, pod);
    const part = await core.podLog(pod, container, from);
    from = part.end;
    if (part.bytes.byteLength > 0) yield decoder.decode(part.bytes, { stream: true });
    if (!goesOn) return;
    await core.clock.sleep(followMs, request.signal).catch(() => undefined);
  }
}

function isRunning(call: Call, pod: AnyObject): boolean {
  const now = call.core.store.get(keyOf(call))?.object;
  return now !== undefined && now.metadata.uid === pod.metadata.uid && !isFinished(now);
}

/** How many of the last lines are asked for; `undefined`: all. */
function tailOf({ request, target }: Call): number | undefined {
  const text = request.query.get("tailLines");
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw apiError.badRequest(`tailLines of ${target.name}: expected a whole number, found ${JSON.stringify(text)}`);
}

/** The container that a request is about. Throws 400 for an unknown one, and for none where there are several. */
export function containerOf(call: Call, pod: AnyObject): string {
  const { name } = call.target;
  const names = [...listAt(pod, "spec", "initContainers"), ...listAt(pod, "spec", "containers")].map((container) =>
    asText(container.name),
  );
  const wanted = call.request.query.get("container") ?? "";
  if (wanted !== "" && !names.includes(wanted))
    throw apiError.badRequest(`container ${wanted} is not valid for pod ${name}`);
  const main = listAt(pod, "spec", "containers").map((container) => asText(container.name));
  if (wanted === "" && main.length > 1)
    throw apiError.badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(" ")}]`,
    );
  return wanted === "" ? (main[0] ?? "") : wanted;
}

function lastLines(text: string, count: number): string {
  const lines = text.split("\n");
  const end = lines.at(-1) === "" ? 1 : 0;
  return count === 0 ? "" : lines.slice(-(count + end)).join("\n");
}
