import { ApiError, apiError } from "../api-error.ts";

/** Reads `resourceVersion` of the query; `undefined` when it is not set. Throws 400. */
export function parseResourceVersion(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^\d{1,15}$/.test(text)) throw apiError.badRequest(`invalid resource version: ${versionProblem(text)}`);
  return Number(text);
}

/** The same for reads of one object and for watches, where a text that is no number is answered with 500, as in Kubernetes. */
export function parseReadVersion(text: string | null): number | undefined {
  const isNumber = text === null || /^\d{0,15}$/.test(text);
  if (!isNumber) throw new ApiError({ code: 500, reason: "", message: versionProblem(text) });
  return parseResourceVersion(text);
}

/** What is wrong with a text that is no version. */
function versionProblem(text: string): string {
  const quoted = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
}

/** A client that has seen a later state than this server. */
export function tooLargeVersion(wanted: number, current: number): ApiError {
  return new ApiError({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

/** The history that the client asks for is forgotten. */
export function tooOldVersion(wanted: number, oldest: number): ApiError {
  return apiError.expired(`too old resource version: ${wanted} (${oldest})`);
}
