import { textOf } from "@kyma-operators/errors";
import { LRUCache } from "lru-cache";
import { Agent, request } from "undici";
import type { Webhook } from "./webhook-match.ts";

/** Where a Service of the cluster listens, for example `https://127.0.0.1:9443`; `undefined`: nowhere. */
export type ServiceResolver = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => string | undefined;

const answerLimitBytes = 3 * 1024 * 1024;

/** Sends reviews to webhooks over TLS; connections are kept per authority. */
export class WebhookClient {
  readonly #resolve: ServiceResolver;
  readonly #agents = new LRUCache<string, Agent>({ max: 64, dispose: (agent) => void agent.close() });

  constructor(resolve: ServiceResolver) {
    this.#resolve = resolve;
  }

  /** The parsed answer. Rejects with a text in Kubernetes' words when there is none. */
  async call(webhook: Webhook, review: unknown): Promise<unknown> {
    const url = this.#urlOf(webhook);
    const timeoutMs = (webhook.timeoutSeconds ?? 10) * 1000;
    try {
      const response = await request(url, {
        method: "POST",
        dispatcher: this.#agentFor(webhook),
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify(review),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await boundedText(response.body);
      if (response.statusCode !== 200) throw new Error(`the server answered ${response.statusCode}`);
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`failed to call webhook: Post "${url}": ${textOf(error)}`, { cause: error });
    }
  }

  close(): void {
    this.#agents.clear();
  }

  #urlOf({ clientConfig }: Webhook): string {
    if (clientConfig.url !== undefined) return clientConfig.url;
    const { namespace = "", name = "", path = "", port = 443 } = clientConfig.service ?? {};
    const base = this.#resolve({ namespace, name, port });
    if (base === undefined) throw new Error(`failed to call webhook: no endpoints available for service "${name}"`);
    return base + path;
  }

  #agentFor({ clientConfig: { caBundle = "", service } }: Webhook): Agent {
    const servername = service === undefined ? undefined : `${service.name}.${service.namespace}.svc`;
    const key = `${servername ?? ""} ${caBundle}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const connect = {
      ...(caBundle === "" ? {} : { ca: Buffer.from(caBundle, "base64").toString() }),
      ...(servername === undefined ? {} : { servername }),
    };
    const agent = new Agent({ connect, connections: 16, maxResponseSize: answerLimitBytes });
    this.#agents.set(key, agent);
    return agent;
  }
}

async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > answerLimitBytes) throw new Error(`the answer is longer than ${answerLimitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
