import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { describe, test } from "@jest/globals";
import { parseYaml } from "@kyma-operators/yaml";
import { assert, asyncProperty, property, string, uint8Array } from "fast-check";
import { writeTar } from "oras-js";
import type { Manifest } from "../../apis/operator/manifest.ts";
import { memoryDirectory } from "../../testing/index.ts";
import { contentOf, readContent } from "./content.ts";
import { customReadiness } from "./custom-readiness.ts";
import { canonicalJson, digestOf } from "./digest.ts";
import { parseObjects } from "./documents.ts";
import { isConnectionRelated, isNotFound } from "./error-classes.ts";
import { formatImageReference, imageReferenceIn, parseImageReference } from "./image-reference.ts";
import { actingAccountOf, withToken } from "./impersonation.ts";
import { parseMigrations, stepsBetween } from "./migrations.ts";
import { inParallel } from "./parallel.ts";
import { RenderCache, type RenderTier } from "./render-cache.ts";
import type { Rendering } from "./rendering.ts";
import { configValues, mergeValues } from "./values.ts";

const never = new AbortController().signal;
const isAppError = (error: unknown): boolean => error instanceof Error && "code" in error;

describe("parseObjects", () => {
  test("takes lists apart and leaves empty documents out (U078)", () => {
    const text =
      "---\n---\nnull\n---\n{}\n---\nkind: List\nitems:\n- {kind: A, metadata: {name: a}}\n- {kind: B, metadata: {name: b}}\n";

    deepEqual(
      parseObjects(text, "x").map(({ kind }) => kind),
      ["A", "B"],
    );
  });

  test("drops repetitions of one object (U078)", () => {
    equal(parseObjects("kind: A\nmetadata: {name: a}\n---\nkind: A\nmetadata: {name: a}\n", "x").length, 1);
  });

  test("says which document is wrong, and never hangs or crashes on any text", () => {
    throws(() => parseObjects("kind: A\n---\nfoo: bar\n", "layer"), {
      message: "layer: document 2 can't be used: kind is missing",
    });
    assert(
      property(string({ maxLength: 200 }), (text) => {
        try {
          parseObjects(text, "x");
        } catch (error) {
          equal(isAppError(error), true, String(error));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("readContent", () => {
  const yaml = "kind: A\nmetadata: {name: a}\n";
  const tar = writeTar([{ path: "a.yaml", content: Buffer.from(yaml) }]);

  test("reads plain, zipped and archived files alike (U073, U074)", async () => {
    for (const bytes of [Buffer.from(yaml), gzipSync(yaml), tar, gzipSync(tar)]) {
      deepEqual(await readContent(bytes, "x", never), { kind: "documents", text: yaml });
    }
  });

  test("finds the chart and the kustomization nearest to the root", () => {
    const file = (path: string): readonly [string, Uint8Array] => [path, Buffer.from("")];

    deepEqual(contentOf(new Map([file("demo/Chart.yaml"), file("demo/charts/sub/Chart.yaml")]), "x").kind, "chart");
    equal(contentOf(new Map([file("kustomization.yaml"), file("a.yaml")]), "x").kind, "kustomization");
  });

  test("a zip bomb ends at the limit", async () => {
    await rejects(readContent(gzipSync(Buffer.alloc(65 * 1024 * 1024)), "x", never), {
      code: "MANIFEST_CONTENT_INVALID",
    });
  });

  test("any bytes are content or a clear error", async () => {
    await assert(
      asyncProperty(uint8Array({ maxLength: 300 }), async (bytes) => {
        await readContent(bytes, "x", never).catch((error: unknown) => equal(isAppError(error), true, String(error)));
      }),
      { numRuns: 200 },
    );
  });
});

describe("RenderCache", () => {
  const rendering = (name: string): Rendering => ({
    objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }],
    hooks: [],
  });
  const render = (name: string, count: { renders: number }) => async () => {
    count.renders += 1;
    return rendering(name);
  };

  test("renders once however many ask at once (16.2-9, U075, U077)", async () => {
    const count = { renders: 0 };
    const cache = new RenderCache();
    await Promise.all(Array.from({ length: 10 }, () => cache.get("a".repeat(32), render("x", count), never)));

    equal(count.renders, 1);
  });

  test("finds what an earlier process rendered, and renders what is damaged again (M7, fault 47)", async () => {
    const directory = memoryDirectory();
    const count = { renders: 0 };
    const tiers: RenderTier[] = [];
    const lookUp = async (): Promise<Rendering> => {
      const cache = new RenderCache({ directory, onLookup: (tier) => tiers.push(tier) });
      return cache.get("a".repeat(32), render("x", count), never);
    };
    await lookUp();
    deepEqual(await lookUp().then(({ objects }) => objects[0]?.metadata.name), "x");
    for (const name of directory.files.keys()) directory.files.set(name, Buffer.from("damaged"));
    await lookUp();

    deepEqual(tiers, ["rendered", "disk", "rendered"]);
    equal(count.renders, 2);
  });

  test("failures are not kept, and the memory is bounded", async () => {
    const cache = new RenderCache({ memoryBytes: 1 });
    await rejects(
      cache.get("a", async () => Promise.reject(new Error("no")), never),
      /no/,
    );
    const count = { renders: 0 };
    await cache.get("a", render("x", count), never);
    await cache.get("a", render("x", count), never);
    equal(count.renders, 2);
  });

  test("the folder stays within its limit", async () => {
    const directory = memoryDirectory();
    const cache = new RenderCache({ directory, diskBytes: 400 });
    for (let index = 0; index < 20; index += 1) await cache.get(`k${index}`, async () => rendering(`n${index}`), never);
    const total = [...directory.files.values()].reduce((sum, { length }) => sum + length, 0);

    equal(total <= 800, true, `${total} bytes`);
  });
});

describe("image references", () => {
  test("print what they parse (U087)", () => {
    for (const text of ["nginx", "localhost:5000/a:b", "r.example.org/a/b.c@sha256:" + "a".repeat(64)]) {
      const printed = formatImageReference(parseImageReference(text));
      deepEqual(parseImageReference(printed), parseImageReference(text));
    }
  });

  test("plain words may be images, sentences and URLs are not (U088)", () => {
    deepEqual(
      ["nginx", "localhost/a", "use it", "https://example.org/a", ""].map(
        (text) => imageReferenceIn(text) !== undefined,
      ),
      [true, true, false, false, false],
    );
  });

  test("any text is parsed or refused in time", () => {
    assert(
      property(string({ maxLength: 400 }), (text) => void imageReferenceIn(text)),
      { numRuns: 500 },
    );
  });
});

describe("migrations", () => {
  const step = (name: string, version: string): object => ({
    name,
    version,
    job: { apiVersion: "batch/v1", kind: "Job", metadata: { name } },
  });
  const parse = (steps: unknown): unknown => parseMigrations(JSON.stringify({ steps }), "layer");

  test("the steps between two versions are those above the old and up to the new one", () => {
    const steps = parseMigrations(
      JSON.stringify({ steps: [step("c", "3.0.0"), step("b", "2.0.0"), step("a", "1.0.0")] }),
      "x",
    );

    deepEqual(
      stepsBetween(steps, "1.0.0", "3.0.0").map(({ name }) => name),
      ["b", "c"],
    );
    deepEqual(stepsBetween(steps, undefined, "3.0.0"), [], "a first installation needs none");
    deepEqual(stepsBetween(steps, "3.0.0", "1.0.0"), [], "a downgrade needs none");
  });

  test("what is wrong is named by step and field", () => {
    throws(() => parse([{}]), /layer: step 1: name is missing/);
    throws(() => parse([{ name: "a", version: "x" }]), /step 1 \(a\): version is "x", expected a semantic version/);
    throws(() => parse([{ name: "a", version: "1.0.0" }]), /expected one of job and patch/);
    throws(() => parse([step("a", "1.0.0"), step("a", "2.0.0")]), /two steps have the name a/);
  });
});

describe("values", () => {
  test("come from the overrides of the install's entry", () => {
    const text = 'configs: [{name: demo, overrides: "a.b=2,list={x,y}"}]';

    deepEqual(JSON.parse(JSON.stringify(configValues(text, "demo", "x"))), { a: { b: 2 }, list: ["x", "y"] });
    deepEqual(configValues(text, "other", "x"), {});
    deepEqual(
      configValues("anything: else", "demo", "x"),
      {},
      "a layer of another shape is the module's own (fault 37)",
    );
    throws(() => configValues("configs: [{name: demo, overrides: 3}]", "demo", "x"), /overrides is 3, expected a text/);
  });

  test("later values win, maps are merged, null stays", () => {
    deepEqual(mergeValues({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: null }, e: [] }), {
      a: { b: null, c: 2 },
      d: 3,
      e: [],
    });
  });
});

describe("acting as a ServiceAccount", () => {
  const manifest = (account: string): Manifest => ({
    apiVersion: "operator.kyma-project.io/v1beta2",
    kind: "Manifest",
    metadata: { annotations: { "operator.kyma-project.io/service-account": account } },
    spec: { remote: false, install: { name: "x", source: {} } },
  });

  test("the account is namespace and name, anything else is refused", () => {
    deepEqual(actingAccountOf(manifest("kyma-system/installer")), { namespace: "kyma-system", name: "installer" });
    for (const text of ["installer", "a/b/c", "../x/y", "A/b", ""]) {
      throws(() => actingAccountOf(manifest(text)), { code: "MANIFEST_ANNOTATION_INVALID" });
    }
  });

  test("the token is the only credential that is left of our own access", () => {
    const own = {
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "k", user: "admin" } }],
      clusters: [{ name: "k", cluster: { server: "https://k.example.org" } }],
      users: [{ name: "admin", user: { token: "own-token" } }],
    };
    const acting = withToken(JSON.stringify(own), "acting-token");

    equal(acting.includes("own-token"), false);
    deepEqual((parseYaml(acting) as { users: unknown }).users, [{ name: "acting", user: { token: "acting-token" } }]);
  });
});

describe("customReadiness", () => {
  const object = { apiVersion: "v1", kind: "X", metadata: { name: "x" }, status: { phase: "Running", size: 3 } };

  test("an expression decides; a field that is missing is waited for", () => {
    equal(customReadiness("self.status.phase == 'Running' && self.status.size > 2")(object).state, "ready");
    equal(customReadiness("self.status.size > 3")(object).state, "progressing");
    equal(customReadiness("self.status.nothing.here")(object).state, "progressing");
  });

  test("an expression that is none is refused by name", () => {
    throws(
      () => customReadiness("self ==="),
      /operator\.kyma-project\.io\/ready-when: "self ===" is no CEL expression/,
    );
  });
});

describe("error classes", () => {
  const coded = (code: string): Error => Object.assign(new Error("x"), { code });

  test("refused, unknown host, 401 and 403 are about our access; the rest may pass (U091)", () => {
    for (const code of ["KUBE_UNAUTHORIZED", "KUBE_FORBIDDEN", "ECONNREFUSED", "ENOTFOUND"])
      equal(isConnectionRelated(coded(code)), true, code);
    for (const code of ["KUBE_TIMEOUT", "ECONNRESET", "KUBE_SERVER", "EAI_AGAIN"])
      equal(isConnectionRelated(coded(code)), false, code);
  });

  test("an unknown kind counts as gone (fault 16)", () => {
    equal(isNotFound(new Error("deleting", { cause: coded("KUBE_NO_MATCH") })), true);
  });
});

describe("inParallel", () => {
  test("keeps the order of results and the limit", async () => {
    let [running, most] = [0, 0];
    const results = await inParallel([3, 1, 2], 2, async (value) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return value * 2;
    });

    deepEqual(results, [6, 2, 4]);
    equal(most, 2);
  });

  test("a failure starts nothing more and is thrown when what runs has ended", async () => {
    const started: number[] = [];
    const run = inParallel([1, 2, 3], 1, async (value) => {
      started.push(value);
      if (value === 2) throw new Error("two");
    });

    await rejects(run, /two/);
    deepEqual(started, [1, 2]);
  });
});

test("digests do not depend on the order of keys", () => {
  equal(digestOf({ a: 1, b: [{ c: 2, d: 3 }] }), digestOf({ b: [{ d: 3, c: 2 }], a: 1 }));
  equal(canonicalJson({ b: undefined, a: null }), '{"a":null}');
});
