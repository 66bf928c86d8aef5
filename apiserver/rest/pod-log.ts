import { apiError } from "../api-error.ts";
import type { ApiResponse } from "../http/messages.ts";
import { isTrue } from "../http/request-info.ts";
import { asText, listAt } from "../resources/kinds/edit.ts";
import { type Call, storedObject } from "./call.ts";

/** GET of `pods/<name>/log`: what a container printed so far; nothing for simulated ones. `follow` is not offered. */
export async function readPodLog(call: Call): Promise<ApiResponse> {
  const { core, request, target } = call;
  const pod = storedObject(call);
  const container = containerOf(call);
  if (isTrue(request.query.get("follow")))
    throw apiError.badRequest("following a log is not supported: ask again, or follow the file in the Pod's folder");
  const text = await core.podLog(pod, container);
  const lines = Number(request.query.get("tailLines") ?? Number.NaN);
  if (!Number.isNaN(lines) && (!Number.isInteger(lines) || lines < 0))
    throw apiError.badRequest(`tailLines of ${target.name}: expected a whole number, found ${lines}`);
  return {
    status: 200,
    headers: { "content-type": "text/plain" },
    body: Number.isNaN(lines) ? text : lastLines(text, lines),
  };
}

function containerOf(call: Call): string {
  const { name } = call.target;
  const pod = storedObject(call);
  const names = [...listAt(pod, "spec", "initContainers"), ...listAt(pod, "spec", "containers")].map((container) =>
    asText(container.name),
  );
  const wanted = call.request.query.get("container") ?? "";
  if (wanted !== "" && !names.includes(wanted))
    throw apiError.badRequest(`container ${wanted} is not valid for pod ${name}`);
  const [only = ""] = listAt(pod, "spec", "containers").map((container) => asText(container.name));
  if (wanted === "" && names.length > 1)
    throw apiError.badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(" ")}]`,
    );
  return wanted === "" ? only : wanted;
}

function lastLines(text: string, count: number): string {
  const lines = text.split("\n");
  const end = lines.at(-1) === "" ? 1 : 0;
  return count === 0 ? "" : lines.slice(-(count + end)).join("\n");
}
