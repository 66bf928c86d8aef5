import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeKeyPair } from "../../testing/index.ts";

interface Review {
  readonly request: {
    readonly uid: string;
    readonly object: { readonly metadata: { readonly labels?: object } } | null;
  };
}

/** What the webhook behind a path answers to a review; `undefined`: nothing, for as long as anyone waits. */
const hooks: Readonly<Record<string, (review: Review, argument: string) => object | string | undefined>> = {
  allow: () => ({ allowed: true }),
  deny: () => ({ allowed: false, status: { message: "not on my watch", code: 403, reason: "Forbidden" } }),
  silent: () => ({ allowed: false }),
  warn: () => ({ allowed: true, warnings: ["think again"] }),
  label: ({ request }, name) => ({ allowed: true, patchType: "JSONPatch", patch: base64(labelPatch(request, name)) }),
  unreadable: () => "not a review",
  slow: () => undefined,
};

function labelPatch({ object }: Review["request"], name: string): readonly object[] {
  const add = object?.metadata.labels === undefined ? [{ op: "add", path: "/metadata/labels", value: {} }] : [];
  const count = Object.keys(object?.metadata.labels ?? {}).length;
  return [...add, { op: "add", path: `/metadata/labels/${name}`, value: `after-${count}` }];
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let text = "";
  for await (const chunk of incoming) text += String(chunk);
  const review = JSON.parse(text) as Review;
  const [, hook = "", argument = ""] = (incoming.url ?? "").split(/[/?]/);
  const response = hooks[hook]?.(review, argument);
  if (response === undefined) return;
  const { uid } = review.request;
  const body = typeof response === "string" ? response : JSON.stringify(reviewOf({ ...response, uid }));
  outgoing.writeHead(200, { "content-type": "application/json" }).end(body);
}

const reviewOf = (response: object): object => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  response,
});

let running: Promise<{ readonly url: string; readonly ca: string }> | undefined;

/** Webhooks for both servers, by path; they end with the process. */
export function webhookServer(): Promise<{ readonly url: string; readonly ca: string }> {
  running ??= start();
  return running;
}

async function start(): Promise<{ readonly url: string; readonly ca: string }> {
  const { certificate, key } = await makeKeyPair({ name: "hooks.example.test" });
  const server = createServer({ cert: certificate, key }, (incoming, outgoing) => void answer(incoming, outgoing));
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, ca: Buffer.from(certificate).toString("base64") };
}
