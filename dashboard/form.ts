import type { IncomingMessage } from "node:http";

const limitBytes = 8192;

/** A submitted form; undefined when it is none, or more than a token needs. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}
