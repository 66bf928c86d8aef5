import { defineErrors, isAppError, textOf } from "@kyma-operators/errors";
import { EnvHttpProxyAgent, interceptors, request } from "undici";

export const downloadErrors = defineErrors("DOWNLOAD", {
  /** The server of an address answered with a failure; check the address, or use a local file. */
  STATUS: {
    retry: "backoff",
    text: (d: { url: string; status: number }) => `${d.url}: the server answered ${d.status}; check the address`,
  },
  /** The address gave no answer or more bytes than are read; check the network, or use a local file. */
  FAILED: { retry: "backoff", text: (d: { url: string; reason: string }) => `${d.url}: ${d.reason}` },
});

const limitBytes = 16 * 1024 * 1024;
const deadlineMs = 60_000;

/** True for what is fetched rather than read from disk. */
export function isUrl(place: string): boolean {
  return /^https?:\/\//.test(place);
}

/** The bytes behind an HTTP address, at most 16 MiB within a minute. Throws `DOWNLOAD_STATUS` and `DOWNLOAD_FAILED`. */
export async function download(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const agent = new EnvHttpProxyAgent();
  try {
    const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }));
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    const { statusCode, body } = await request(url, { dispatcher, signal: deadline });
    if (statusCode !== 200) throw downloadErrors.STATUS({ url, status: statusCode });
    return await read(url, body);
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error)) throw error;
    throw downloadErrors.FAILED({ url, reason: `no answer (${textOf(error)})` }, error);
  } finally {
    await agent.destroy();
  }
}

async function read(url: string, body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw downloadErrors.FAILED({ url, reason: `more than ${limitBytes} bytes` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
