import { oci } from "./errors.ts";

/** Reads a body to its end. Throws OCI_TOO_LARGE as soon as the limit is passed. */
export async function collect(
  body: AsyncIterable<Uint8Array>,
  { ref, limitBytes }: { ref: string; limitBytes: number },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > limitBytes) throw oci.TOO_LARGE({ ref, limitBytes });
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, total);
}

/** Reads a body of known length into one buffer, so that it is in memory only once. */
export async function collectExactly(body: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for await (const chunk of body) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes.subarray(0, at);
}

/** Parses a JSON body. Throws OCI_NOT_A_REGISTRY, which says what was found instead. */
export function parseJsonBody(bytes: Uint8Array, { ref, host }: { ref: string; host: string }): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const found = /^\s*<(!doctype|html)/i.test(text) ? "an HTML page" : "other content";
    throw oci.NOT_A_REGISTRY({ ref, host, found });
  }
}
