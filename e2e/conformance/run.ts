import { randomBytes } from "node:crypto";
import type { Answer, ConformanceCase, EventsStep, RequestStep, Step, UntilStep, WatchStep } from "./case.ts";
import { Client, type HttpAnswer, type HttpRequest, type Server, type Watch } from "./client.ts";
import { normalize } from "./normalize.ts";
import { webhookServer } from "./webhook-server.ts";

const patience = 60_000;

/** Runs one case in a namespace of its own; one answer per step. */
export async function runCase(server: Server, { steps }: ConformanceCase): Promise<readonly Answer[]> {
  const run = new Run(new Client(server), `c${randomBytes(6).toString("hex")}`);
  try {
    await run.begin();
    const answers: Answer[] = [];
    for (const step of steps) answers.push(await run.step(step));
    return answers;
  } finally {
    await run.end();
  }
}

class Run {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #saved = new Map<string, string>();
  readonly #watches = new Map<string, Watch>();

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#saved.set("ns", namespace);
  }

  async begin(): Promise<void> {
    await this.#post("/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: this.#namespace },
    });
    // Both servers make it; Pods are refused until it is there.
    const account = `/api/v1/namespaces/${this.#namespace}/serviceaccounts/default`;
    await this.#poll({ method: "GET", path: account }, ({ status }) => status === 200);
    const { url, ca } = await webhookServer();
    this.#saved.set("hooks", url);
    this.#saved.set("hooksCa", ca);
  }

  async end(): Promise<void> {
    for (const watch of this.#watches.values()) watch.close();
    await this.#client.send({ method: "DELETE", path: `/api/v1/namespaces/${this.#namespace}` });
    await this.#client.close();
  }

  step(step: Step): Promise<Answer> {
    if ("request" in step) return this.#request(step);
    if ("watch" in step) return this.#watch(step);
    return "events" in step ? this.#events(step) : this.#until(step);
  }

  async #request(step: RequestStep): Promise<Answer> {
    const answer = await this.#client.send(this.#httpRequest(step));
    for (const [name, where] of Object.entries(step.save ?? {})) this.#saved.set(name, textAt(answer.body, where));
    return this.#record(answer, step.only);
  }

  #httpRequest({ request, body, type, headers }: RequestStep): HttpRequest {
    const [method = "GET", path = "/"] = request.split(/ (.*)/s);
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const contentType = type ?? (text === undefined ? undefined : "application/json");
    return {
      method,
      path: this.#fill(path),
      headers: { ...(contentType === undefined ? {} : { "content-type": contentType }), ...this.#filled(headers) },
      ...(text === undefined ? {} : { body: this.#fill(text) }),
    };
  }

  #filled(headers: RequestStep["headers"]): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, this.#fill(value)]));
  }

  #record({ status, headers, body }: HttpAnswer, only?: readonly string[]): Answer {
    const shown = only === undefined ? body : Object.fromEntries(only.map((path) => [path, valueAt(body, path)]));
    const warnings = [headers.warning ?? []].flat();
    return {
      status,
      ...(warnings.length === 0 ? {} : { warnings: normalize(warnings, this.#namespace) as string[] }),
      body: normalize(shown, this.#namespace),
    };
  }

  async #watch({ watch: name, path, headers }: WatchStep): Promise<Answer> {
    const watch = await this.#client.watch(this.#fill(path), headers);
    this.#watches.set(name, watch);
    return { status: watch.status };
  }

  async #events({ events: name, count }: EventsStep): Promise<Answer> {
    const events = (await this.#watches.get(name)?.first(count, patience)) ?? [];
    return { events: events.map((event) => normalize(event, this.#namespace)) };
  }

  async #until({ until, body, holds, status }: UntilStep): Promise<Answer> {
    const wanted = holds === undefined ? undefined : (JSON.parse(this.#fill(JSON.stringify(holds))) as unknown);
    const fits = (answer: HttpAnswer): boolean =>
      (status === undefined || answer.status === status) && (wanted === undefined || contains(answer.body, wanted));
    const request = until.startsWith("/") ? `GET ${until}` : until;
    const last = await this.#poll(this.#httpRequest({ request, body }), fits);
    return fits(last) ? { status: last.status } : { status: last.status, body: normalize(last.body, this.#namespace) };
  }

  async #poll(request: HttpRequest, fits: (answer: HttpAnswer) => boolean): Promise<HttpAnswer> {
    const deadline = Date.now() + patience;
    for (;;) {
      const answer = await this.#client.send(request);
      if (fits(answer) || Date.now() > deadline) return answer;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  #post(path: string, body: unknown): Promise<HttpAnswer> {
    const headers = { "content-type": "application/json" };
    return this.#client.send({ method: "POST", path, headers, body: JSON.stringify(body) });
  }

  #fill(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => this.#saved.get(name) ?? whole);
  }
}

function textAt(value: unknown, path: string): string {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : "";
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split(/(?<!\\)\./)
    .map((part) => part.replaceAll("\\.", "."))
    .reduce<unknown>(
      (at, name) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined),
      value,
    );
}

/** Whether every part of `wanted` is in `value`; lists hold each wanted item somewhere. */
function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && wanted.every((item) => value.some((candidate) => contains(candidate, item)));
  }
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(wanted).every(([name, part]) => contains((value as Record<string, unknown>)[name], part));
}
