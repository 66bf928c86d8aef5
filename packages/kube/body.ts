import { kubeErrors, type NoAnswerDetail, outsideText } from "./errors.ts";
import type { TransportResponse } from "./transport.ts";

const decoder = new TextDecoder();

/** Reads a body to its end; more than `limitBytes` ends it with `KUBE_TOO_LARGE`. */
export async function readText(
  body: TransportResponse["body"],
  limitBytes: number,
  detail: NoAnswerDetail,
): Promise<{ readonly text: string; readonly bytes: number }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) throw kubeErrors.TOO_LARGE({ ...detail, limitBytes });
    chunks.push(chunk);
  }
  const [only] = chunks;
  return { text: decoder.decode(chunks.length === 1 ? only : Buffer.concat(chunks, bytes)), bytes };
}

/** Parses an answer that must be JSON; what it is instead is quoted as masked. */
export function parseJson(text: string, detail: NoAnswerDetail, mask: (text: string) => string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const begin = outsideText(mask(text)).slice(0, 40);
    throw kubeErrors.MALFORMED({ ...detail, problem: `no JSON, it begins with ${JSON.stringify(begin)}` });
  }
}

/** The value as a JSON object. */
export function objectIn(value: unknown, detail: NoAnswerDetail): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw kubeErrors.MALFORMED({ ...detail, problem: "no JSON object" });
}
