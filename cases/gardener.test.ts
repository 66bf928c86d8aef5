import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { isAppError, textOf } from "@kyma-operators/errors";
import { type JsonObject, shootResource } from "@kyma-operators/gardener";
import {
  type AnyObject,
  builtIn,
  type Client,
  clusterFromKubeconfig,
  createClient,
  createHttpTransport,
  type RequestDetail,
  systemClock,
  transportFrom,
} from "@kyma-operators/kube";
import { load } from "js-yaml";
import { gardenerUser } from "../local/gardener/identity.ts";
import { type Gardener, startGardener } from "../local/gardener/index.ts";
import { casesDir } from "./cases-dir.ts";
import { comparable } from "./shoot-comparison.ts";

const folder = join(casesDir, "cases/gardener");
const { namespaces } = builtIn;

type Edit = readonly [path: string, value: unknown, how: "set" | "remove"];

interface ExpectedError {
  readonly field?: string;
  readonly type: string;
  readonly detail: string;
}

interface RecordedCase {
  readonly id: string;
  readonly about: string;
  readonly base: string;
  readonly oldEdits?: readonly Edit[];
  readonly edits: readonly Edit[];
  readonly errors: readonly ExpectedError[];
}

interface Recorded {
  readonly bases: Readonly<Record<string, string>>;
  readonly create: readonly RecordedCase[];
  readonly update: readonly RecordedCase[];
}

const recorded = JSON.parse(readFileSync(join(folder, "validation.json"), "utf8")) as Recorded;
const defaults = JSON.parse(readFileSync(join(folder, "defaults.json"), "utf8")) as Readonly<Record<string, AnyObject>>;
const baseOf = (name: string): AnyObject =>
  load(readFileSync(join(folder, recorded.bases[name] ?? name), "utf8")) as AnyObject;

/** Applies an edit to a value, copying what it changes. */
function edited(node: unknown, [segment = "", ...rest]: readonly string[], [, value, how]: Edit): unknown {
  const next = (inner: unknown): unknown => (rest.length === 0 ? value : edited(inner, rest, ["", value, how]));
  if (Array.isArray(node)) {
    const index = segment === "+" ? node.length : Number(segment);
    if (rest.length === 0 && how === "remove") return node.toSpliced(index, 1);
    return node.toSpliced(index, 1, next(node[index]));
  }
  const object = (node ?? {}) as JsonObject;
  if (rest.length === 0 && how === "remove") {
    return Object.fromEntries(Object.entries(object).filter(([key]) => key !== segment));
  }
  return { ...object, [segment]: next(object[segment]) };
}

function withEdits(object: AnyObject, edits: readonly Edit[], namespace: string): AnyObject {
  const result = edits.reduce<unknown>((node, edit) => edited(node, edit[0].split("/"), edit), object) as AnyObject;
  return { ...result, metadata: { ...result.metadata, namespace } };
}

function causesOf(error: unknown): readonly ExpectedError[] {
  ok(isAppError(error), String(error));
  const { causes = [] } = error.detail as RequestDetail;
  return causes.map(({ field, reason, message }) => ({
    field,
    type: reason.replace("FieldValue", ""),
    detail: message,
  }));
}

const sortKey = ({ field = "", type }: ExpectedError): string => `${field} ${type}`;

/** Answers 422 with exactly these causes, or 400 where decoding already refuses. */
async function expectErrors(write: () => Promise<unknown>, expected: readonly ExpectedError[]): Promise<void> {
  const error = await write().catch((thrown: unknown) => thrown);
  if (expected.some(({ type }) => type === "decode")) {
    // Newer API servers name the whole path of the unknown field.
    const text = textOf(error).replace(/unknown field "[\w.[\]]*\.(\w+)"/, 'unknown field "$1"');
    for (const { detail } of expected) ok(text.includes(detail), text);
    return;
  }
  const causes = causesOf(error);
  deepEqual(causes.map(sortKey).toSorted(), expected.map(sortKey).toSorted());
  for (const wanted of expected) {
    const found = causes.filter((cause) => sortKey(cause) === sortKey(wanted)).map(({ detail }) => detail);
    ok(
      found.some((detail) => detail.includes(wanted.detail)),
      `${found.join(" | ")} lacks ${wanted.detail}`,
    );
  }
}

describe("the simulated Gardener answers as the real one", () => {
  let gardener: Gardener;
  let client: Client;
  let gardenerClient: Client;
  const strict = { fieldValidation: "Strict" } as const;

  beforeAll(async () => {
    gardener = await startGardener({ admissionPlugins: false, landscape: [] });
    const access = clusterFromKubeconfig(await gardener.server.kubeconfig({ user: "alice" }));
    client = createClient({ transport: createHttpTransport(access), clock: systemClock });
    gardenerClient = createClient({
      transport: transportFrom(gardener.server.transportFor(gardenerUser)),
      clock: systemClock,
    });
  });
  afterAll(async () => {
    await client.close();
    await gardener.stop();
  });

  /** Each case has a namespace of its own, so that none sees another's Shoot. */
  async function namespaceOf(id: string): Promise<string> {
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: `garden-${id}` } });
    return `garden-${id}`;
  }

  for (const { id, about, base, edits, errors } of recorded.create) {
    test(`${id} create, ${base}: ${about}`, async () => {
      const shoot = withEdits(baseOf(base), edits, await namespaceOf(id));
      if (errors.length > 0) await expectErrors(() => client.create(shootResource, shoot, strict), errors);
      else equal((await client.create(shootResource, shoot, strict)).kind, "Shoot");
    });
  }

  for (const { id, about, base, oldEdits = [], edits, errors } of recorded.update) {
    test(`${id} update, ${base}: ${about}`, async () => {
      const namespace = await namespaceOf(id);
      const old = withEdits(baseOf(base), oldEdits, namespace);
      // Some of the old states are no longer accepted from anyone else.
      await gardenerClient.create(shootResource, old);
      const next = withEdits(old, edits, namespace);
      if (errors.length > 0) await expectErrors(() => client.update(shootResource, next, strict), errors);
      else equal((await client.update(shootResource, next, strict)).kind, "Shoot");
    });
  }

  for (const [base, expected] of Object.entries(defaults)) {
    test(`${base} gets the recorded defaults`, async () => {
      const namespace = await namespaceOf(`defaults-${base}`);
      const { metadata, spec } = await client.create(shootResource, withEdits(baseOf(base), [], namespace));
      const { labels, annotations } = metadata;
      const hasWindow = (baseOf(base)["spec"] as { maintenance: JsonObject }).maintenance["timeWindow"] !== undefined;

      deepEqual(
        { labels, annotations },
        { labels: expected.metadata.labels, annotations: expected.metadata.annotations },
      );
      // Where the Shoot names no window, Gardener draws one.
      deepEqual(withoutWindow(spec, hasWindow), withoutWindow(expected["spec"], hasWindow));
    });
  }
});

function withoutWindow(spec: unknown, keep: boolean): unknown {
  const { maintenance, ...rest } = comparable(spec) as { maintenance: JsonObject };
  return keep ? { maintenance, ...rest } : { ...rest, autoUpdate: maintenance["autoUpdate"] };
}
