import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "@jest/globals";
import type { AnyObject, Client } from "@kyma-operators/kube";
import type { HttpRequest, HttpResponse, Transport } from "oras-js";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { ChartRepository } from "./chart-repository.ts";
import { Credentials, formatSelector } from "./credentials.ts";
import { repositoryOf } from "./sources.ts";

const never = new AbortController().signal;
const manifest = (source: object = {}): Manifest => ({
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Manifest",
  metadata: { name: "m", namespace: "kcp-system" },
  spec: { remote: false, install: { name: "demo", source: { ...source } } },
});
const secret = (name: string, config: object): AnyObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "kcp-system" },
  data: { ".dockerconfigjson": Buffer.from(JSON.stringify(config)).toString("base64") },
});
const auths = { auths: { "registry.example.org": { username: "u", password: "p" } } };

/** A client that answers `get` and `list` of Secrets. */
const clientWith = (secrets: readonly AnyObject[]): Client =>
  ({
    get: async ({ name }: { name: string }) => {
      const found = secrets.find(({ metadata }) => metadata.name === name);
      if (found !== undefined) return found;
      const { kubeErrors } = await import("@kyma-operators/kube");
      throw kubeErrors.NOT_FOUND({ method: "GET", path: "", status: 404, reason: "NotFound", message: "" });
    },
    list: async () => ({ resourceVersion: "1", items: secrets }),
  }) as unknown as Client;

describe("registry credentials", () => {
  test("come from the Secret of the installation (U076, I083)", async () => {
    const credentials = new Credentials({ client: clientWith([secret("registry", auths)]), secretName: "registry" });
    const source = await credentials.for(manifest(), never);

    equal((await source({ host: "registry.example.org", path: "x" }))?.username, "u");
    equal(await source({ host: "elsewhere.example.org", path: "x" }), undefined);
    equal(await credentials.for(manifest(), never), source, "the same credentials are the same source");
  });

  test("a missing Secret is named as upstream names it (I088, U076)", async () => {
    const credentials = new Credentials({ client: clientWith([]), secretName: "registry" });

    await rejects(credentials.for(manifest(), never), {
      code: "MANIFEST_REGISTRY_SECRET_MISSING",
      message: "no private oci registry auth secret found: registry",
    });
  });

  test("a Secret that a source selects is looked up in the Manifest's namespace (16.1-13, fault 38, fault 49)", async () => {
    const credentials = new Credentials({ client: clientWith([secret("own", auths)]) });
    const source = await credentials.for(manifest({ credSecretSelector: { matchLabels: { a: "b" } } }), never);

    equal((await source({ host: "registry.example.org", path: "x" }))?.username, "u");
  });

  test("a Secret without credentials is refused, its content is not shown", async () => {
    const broken = { ...secret("registry", {}), data: { password: "c2VjcmV0" } };
    const credentials = new Credentials({ client: clientWith([broken]), secretName: "registry" });

    await rejects(credentials.for(manifest(), never), (error: Error) => {
      match(error.message, /^Secret kcp-system\/registry holds no registry credentials: expected one of the keys/);
      return !error.message.includes("c2VjcmV0");
    });
  });

  test("selectors become queries", () => {
    equal(
      formatSelector({
        matchLabels: { a: "b" },
        matchExpressions: [
          { key: "c", operator: "In", values: ["d", "e"] },
          { key: "f", operator: "NotIn", values: ["g"] },
          { key: "h", operator: "Exists" },
          { key: "i", operator: "DoesNotExist" },
        ],
      }),
      "a=b,c in (d,e),f notin (g),h,!i",
    );
  });
});

describe("repositoryOf", () => {
  const cases: readonly [repo: string, expected: string][] = [
    ["registry.example.org", "registry.example.org/component-descriptors/example.org/module/keda"],
    ["registry.example.org/prod/", "registry.example.org/prod/component-descriptors/example.org/module/keda"],
    [
      "registry.example.org/prod/component-descriptors",
      "registry.example.org/prod/component-descriptors/example.org/module/keda",
    ],
    ["http://localhost:5000", "localhost:5000/component-descriptors/example.org/module/keda"],
  ];

  for (const [repo, expected] of cases) {
    test(`finds the layers of a component below ${repo} (fault 34)`, () => {
      const { host, path, plainHttp } = repositoryOf({ repo, name: "example.org/module/keda" });

      equal(`${host}/${path}`, expected);
      equal(plainHttp, repo.startsWith("http://"));
    });
  }
});

describe("chart repositories", () => {
  const archive = Buffer.from("an archive");
  const digest = createHash("sha256").update(archive).digest("hex");
  const index = (entry: object): string =>
    JSON.stringify({
      entries: { demo: [{ version: "1.2.0", urls: ["charts/demo-1.2.0.tgz"], ...entry }, { version: "2.0.0" }] },
    });
  const source = {
    type: "helm-chart",
    url: "https://charts.example.org/stable",
    chartName: "demo",
    version: "^1.0.0",
  } as const;
  const answering = (answers: Readonly<Record<string, string | Buffer>>, asked: HttpRequest[] = []): Transport => ({
    send: async (request): Promise<HttpResponse> => {
      asked.push(request);
      const answer = answers[request.url.pathname];
      const body = (async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from(answer ?? "");
      })();
      return { status: answer === undefined ? 404 : 200, headers: {}, body, discard: async () => undefined };
    },
    close: async () => undefined,
  });

  test("the highest version in the range is taken, its archive verified (16.1-10, fault 53)", async () => {
    const asked: HttpRequest[] = [];
    const repository = new ChartRepository(
      answering({ "/stable/index.yaml": index({ digest }), "/stable/charts/demo-1.2.0.tgz": archive }, asked),
    );
    const chart = await repository.find(source, never);

    equal(chart.version, "1.2.0");
    equal(chart.digest, `sha256:${digest}`);
    deepEqual(Buffer.from(await repository.download(chart, never)), archive);
    deepEqual(
      asked.map(({ guarded }) => guarded),
      [false, true],
      "a URL that the index chose may not lead inside",
    );
  });

  test("an archive with another digest is refused", async () => {
    const repository = new ChartRepository(
      answering({ "/stable/index.yaml": index({ digest: "0".repeat(64) }), "/stable/charts/demo-1.2.0.tgz": archive }),
    );

    await rejects(repository.download(await repository.find(source, never), never), {
      code: "MANIFEST_CONTENT_INVALID",
    });
  });

  test("what is there is listed when nothing fits", async () => {
    const repository = new ChartRepository(answering({ "/stable/index.yaml": index({}) }));

    await rejects(
      repository.find({ ...source, version: "^3.0.0" }, never),
      /no chart demo that fits version \^3\.0\.0; it has: 1\.2\.0, 2\.0\.0/,
    );
  });

  test("a repository that does not answer is told from a wrong one", async () => {
    const repository = new ChartRepository(answering({}));

    await rejects(repository.find(source, never), {
      code: "MANIFEST_SOURCE_UNREACHABLE",
      message: "https://charts.example.org/stable/index.yaml: answered 404",
    });
  });
});
