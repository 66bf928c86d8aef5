import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { build } from "@kyma-operators/kustomize";
import { formatYamlDocuments, parseYamlDocuments } from "@kyma-operators/yaml";
import { loadChart, render } from "helm-ts-lite";
import { diskTree } from "../cli/kustomize-files.ts";

const root = join(import.meta.dirname, "..");

interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly image: string; readonly args: readonly string[] }[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

const idOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
const byId = (objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> =>
  new Map(objects.map((object) => [idOf(object), object]));
const parse = (text: string): readonly KubeObject[] =>
  parseYamlDocuments(text, { name: "objects" }) as unknown as readonly KubeObject[];

const folder = join(root, "charts/kyma-operators");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
  statSync(join(folder, name)).isFile(),
);
const chart = loadChart(new Map(files.map((name) => [name, readFileSync(join(folder, name))])));

async function rendered(values: Readonly<Record<string, unknown>>, namespace = "kcp-system") {
  const { documents, crds, notes } = await render(chart, {
    release: { name: "kyma-operators", namespace },
    values,
    capabilities: { kubeVersion: "v1.34.1" },
  });
  const texts = [...crds.map(({ text }) => text), ...documents.map(({ text }) => text)];
  return { objects: texts.flatMap(parse), notes: [...notes.values()].join("\n") };
}

async function deployment(values: Readonly<Record<string, unknown>>, namespace?: string): Promise<Deployment> {
  const { objects } = await rendered(values, namespace);
  const found = objects.find(({ kind }) => kind === "Deployment");
  ok(found !== undefined);
  return found as Deployment;
}

describe("the chart", () => {
  test("renders to the objects of config/default", async () => {
    const expected = byId(parse(formatYamlDocuments(build(diskTree(), join(root, "config/default")))));
    const found = byId((await rendered({ namespace: { create: true } })).objects);
    deepEqual([...found.keys()].toSorted(), [...expected.keys()].toSorted());
    for (const [id, object] of expected) deepEqual(found.get(id), object, id);
  });

  test("puts everything into the namespace of the release, and tells the operator", async () => {
    const { objects } = await rendered({}, "elsewhere");
    equal(JSON.stringify(objects).includes("kcp-system"), false);
    const [container] = (await deployment({}, "elsewhere")).spec.template.spec.containers;
    ok(container?.args.includes("--namespace=elsewhere"));
  });

  test("leaves the garden out", async () => {
    const { spec } = await deployment({
      gardener: { enabled: false },
      controllers: "kyma,manifest",
      extraArgs: ["--log-level=1"],
    });
    deepEqual(
      spec.template.spec.volumes.map(({ name }) => name),
      ["cache"],
    );
    deepEqual(spec.template.spec.containers[0]?.args, [
      "--controllers=kyma,manifest",
      "--oci-registry-cred-secret=oci-registry-credentials",
      "--data-dir=/cache",
      "--log-level=1",
    ]);
    equal((await rendered({ gardener: { enabled: false } })).notes.includes("gardener-credentials"), false);
  });

  test("takes image, shards and registry from the values", async () => {
    const { spec } = await deployment({
      image: { repository: "registry.example.test/kyma-operators", tag: "1.2.3" },
      replicas: 3,
      shards: 12,
      registry: { host: "registry.example.test" },
    });
    equal(spec.replicas, 3);
    const [container] = spec.template.spec.containers;
    equal(container?.image, "registry.example.test/kyma-operators:1.2.3");
    deepEqual(container.args, ["--oci-registry-host=registry.example.test", "--data-dir=/cache", "--shards=12"]);
  });

  test("refuses values that mean nothing, by name", async () => {
    await rejects(rendered({ replica: 3 }), /replica/);
    await rejects(rendered({ extraArgs: ["log-level=1"] }), /extraArgs/);
    await rejects(rendered({ shards: 0 }), /shards/);
  });

  test("has the version of the product", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
    equal(chart.metadata.version, version);
    equal(chart.metadata.appVersion, version);
  });
});
