import { deepEqual, equal, match, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { assert as holds, property, string } from "fast-check";
import { apiVersion } from "../apis/operator/group.ts";
import type { Kyma, KymaModule, ModuleStatus } from "../apis/operator/kyma.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import type { ModuleReleaseMeta } from "../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../apis/operator/module-template.ts";
import { catalogView } from "./catalog-view.ts";
import { type Descriptor, descriptorProblem, readContent } from "./descriptor.ts";
import { parseSelector } from "./label-selector.ts";
import { planMandatory } from "./mandatory.ts";
import { manifestName } from "./manifest-name.ts";
import { nearestNames } from "./nearest.ts";
import { planModules } from "./plan-modules.ts";
import { parseCore } from "./version-change.ts";
import type { PlanInput } from "./wanted-manifest.ts";
import { contains } from "./write-decision.ts";

const namespace = "kcp-system";

const kymaWith = (modules: readonly KymaModule[], entries: readonly ModuleStatus[] = []): Kyma => ({
  apiVersion,
  kind: "Kyma",
  metadata: { name: "k", namespace, uid: "u", labels: {} },
  spec: { channel: "regular", modules },
  status: { state: "Ready", modules: entries },
});

const meta = (name: string, spec: Partial<ModuleReleaseMeta["spec"]> = {}): ModuleReleaseMeta => ({
  apiVersion,
  kind: "ModuleReleaseMeta",
  metadata: { name, namespace },
  spec: {
    moduleName: name,
    ocmComponentName: `example.org/${name}`,
    channels: [{ channel: "regular", version: "1.0.0" }],
    ...spec,
  },
});

const template = (name: string, version = "1.0.0", labels?: Record<string, string>): ModuleTemplate => ({
  apiVersion,
  kind: "ModuleTemplate",
  metadata: { name: `${name}-${version}`, namespace, generation: 1, ...(labels ? { labels } : {}) },
  spec: { moduleName: name, version, descriptor: {} },
});

const layer = { name: "raw-manifest", type: "yaml", access: { type: "localBlob", localReference: "sha256:1" } };
const described = (name: string, version: string, resources: Descriptor["resources"] = [layer]): Descriptor => ({
  name,
  version,
  repositoryContexts: [{ type: "OCIRegistry" }],
  resources,
});

function plan(
  kyma: Kyma,
  more: Partial<PlanInput> & { metas?: ModuleReleaseMeta[]; templates?: ModuleTemplate[] } = {},
) {
  const { metas = [meta("alpha")], templates = [template("alpha")], ...rest } = more;
  return planModules({
    kyma,
    catalog: catalogView(namespace, metas, templates),
    restrictedModules: [],
    window: () => ({ kind: "unknown", reason: "not asked" }),
    settings: { registry: "r", syncNamespace: "kyma-system" },
    manifests: [],
    descriptors: ({ component, version }) => described(component, version),
    ...rest,
  });
}

/** The Manifest a plan wrote, as the API server holds it. */
function stored(
  kyma: Kyma,
  metadata: Partial<Manifest["metadata"]> = {},
  state: "Ready" | "Deleting" = "Ready",
): Manifest {
  const [write] = plan(kyma).writes;
  if (write === undefined) throw new Error("nothing was written");
  return { ...write.manifest, metadata: { ...write.manifest.metadata, ...metadata }, status: { state } };
}

const summary = ({ writes, statuses }: ReturnType<typeof plan>) => ({
  writes: writes.map(({ verb, manifest }) => `${verb} ${manifest.metadata.name}`),
  modules: statuses.map(({ name, state }) => `${name}=${state}`),
});

const alpha = kymaWith([{ name: "alpha" }]);

describe("planning the modules of a Kyma", () => {
  test("a new module gets a Manifest and an entry without a state (U022, U029)", () => {
    equal(plan(alpha).writes[0]?.manifest.metadata.name, manifestName("k", "example.org/alpha", "alpha"));
    deepEqual(summary(plan(alpha)).modules, ["alpha="]);
  });

  test("values reach modules that are charts, their own before those of all, and a change of theirs is written", () => {
    const chart = { name: "alpha", type: "helmChart", access: { type: "localBlob", localReference: "sha256:1" } };
    const values = { global: { domainName: "a.example.org", tier: 1 }, alpha: { replicas: 2, global: { tier: 2 } } };
    const charts = {
      descriptors: ({ component, version }: { component: string; version: string }) =>
        described(component, version, [chart]),
    };
    const written = plan(alpha, { ...charts, values }).writes[0]?.manifest;
    const wanted = { replicas: 2, global: { domainName: "a.example.org", tier: 2 } };
    deepEqual(written?.spec.install.source["values"], wanted);
    equal(plan(alpha, { values }).writes[0]?.manifest.spec.install.source["values"], undefined);
    if (written === undefined) throw new Error("nothing was written");
    const settled = { ...charts, manifests: [{ ...written, status: { state: "Ready" as const } }] };
    const kyma = kymaWith([{ name: "alpha" }], plan(alpha, { ...charts, values }).statuses);
    deepEqual(summary(plan(kyma, { ...settled, values })).writes, []);
    equal(plan(kyma, { ...settled, values: { alpha: { replicas: 3 } } }).writes.length, 1);
    equal(plan(kyma, settled).writes.length, 1);
  });

  test("planning again after the writes plans nothing (U022)", () => {
    const settled = kymaWith([{ name: "alpha" }], plan(alpha).statuses);
    deepEqual(summary(plan(settled, { manifests: [stored(alpha)] })), { writes: [], modules: ["alpha=Ready"] });
  });

  test("an upgrade shows as being made until the new content is installed", () => {
    const installing = stored(alpha, { annotations: { "sync-oci-ref": "sha256:0" } });
    deepEqual(summary(plan(alpha, { manifests: [installing] })).modules, ["alpha=Processing"]);
  });

  test("a removed module goes, and its entry stays as long as its Manifest (U035)", () => {
    const removed = kymaWith([], plan(alpha).statuses);
    const name = stored(alpha).metadata.name;
    deepEqual(summary(plan(removed, { manifests: [stored(alpha)] })), {
      writes: [`delete ${name}`],
      modules: ["alpha=Ready"],
    });
    const going = stored(alpha, { deletionTimestamp: "2026-01-01T00:00:00Z" }, "Deleting");
    deepEqual(summary(plan(removed, { manifests: [going] })), { writes: [], modules: ["alpha=Deleting"] });
    deepEqual(summary(plan(removed)), { writes: [], modules: [] });
  });

  test("a Manifest of ours that neither spec nor status knows goes too; one of somebody else stays (U049)", () => {
    const foreign = stored(alpha, { ownerReferences: [] });
    equal(plan(kymaWith([]), { manifests: [stored(alpha)] }).writes[0]?.verb, "delete");
    deepEqual(plan(kymaWith([]), { manifests: [foreign] }).writes, []);
  });

  test("a module that is no longer allowed is deleted even when its descriptor cannot be read", () => {
    const beta = template("alpha", "1.0.0", { "operator.kyma-project.io/beta": "true" });
    const result = plan(alpha, {
      templates: [beta],
      manifests: [stored(alpha)],
      descriptors: () => ({ problem: "registry down" }),
    });
    equal(result.writes[0]?.verb, "delete");
    equal(result.statuses[0]?.message, "module template not allowed: beta module");
  });

  test("a mandatory module in spec.modules is refused with a message, and its Manifest left alone (U027)", () => {
    const mandatory = meta("alpha", { mandatory: { version: "1.0.0" } });
    const manifest = stored(alpha, {
      labels: { "operator.kyma-project.io/mandatory-module": "true", "operator.kyma-project.io/module-name": "alpha" },
    });
    const result = plan(alpha, { metas: [mandatory], manifests: [manifest] });
    deepEqual(summary(result), { writes: [], modules: ["alpha=Warning"] });
    match(result.statuses[0]?.message ?? "", /alpha is mandatory/);
  });

  test("a removed module keeps its policy when its spec follows a new version", () => {
    const removed = kymaWith([], plan(alpha).statuses);
    const going = stored(alpha, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const kept = { ...going, spec: { ...going.spec, customResourcePolicy: "Ignore" as const } };
    const next = {
      metas: [meta("alpha", { channels: [{ channel: "regular", version: "1.1.0" }] })],
      templates: [template("alpha", "1.1.0")],
    };
    const [write] = plan(removed, { ...next, manifests: [kept] }).writes;
    deepEqual(
      [write?.verb, write?.manifest.spec.version, write?.manifest.spec.customResourcePolicy],
      ["replace", "1.1.0", "Ignore"],
    );
  });

  test("one unusable module does not keep the others away (U034)", () => {
    const two = kymaWith([{ name: "ghost" }, { name: "alpha" }, { name: "alpha", channel: "none" }]);
    deepEqual(summary(plan(two)).modules, ["ghost=Error", "alpha="]);
  });
});

describe("reading a descriptor", () => {
  const chart = { name: "chart", type: "helmChart" };
  const cases = [
    {
      name: "a chart as a layer",
      resources: [{ ...chart, access: { type: "localBlob", localReference: "sha256:2" } }],
      source: { type: "helm-chart", repo: "r", name: "c", ref: "sha256:2" },
    },
    {
      name: "a chart in a registry",
      resources: [{ ...chart, access: { type: "ociArtifact", imageReference: "h/c:1" } }],
      source: { type: "helm-chart", url: "oci://h/c:1" },
    },
    {
      name: "a chart of a repository",
      resources: [{ ...chart, access: { type: "helm", helmRepository: "https://h", helmChart: "c:1.2.3" } }],
      source: { type: "helm-chart", url: "https://h", chartName: "c", version: "1.2.3" },
    },
    {
      name: "a kustomization",
      resources: [
        { name: "kustomize", type: "directoryTree", access: { type: "localBlob", localReference: "sha256:3" } },
      ],
      source: { type: "kustomize", repo: "r", name: "c", ref: "sha256:3" },
    },
  ];
  for (const { name, resources, source } of cases) {
    test(`finds ${name}, which is no image`, () => {
      const content = readContent(described("c", "1.0.0", resources), "r");
      deepEqual("problem" in content ? content : [content.install?.source, content.images], [source, []]);
    });
  }

  test("names all sources when there is more than one", () => {
    const both = described("c", "1.0.0", [layer, { ...chart, access: { type: "localBlob" } }]);
    match(JSON.stringify(readContent(both, "r")), /more than one install source \(raw-manifest, chart\)/);
  });

  test("a tar as config is left out, since the schema of a Manifest refuses it", () => {
    const tar = { name: "config", type: "yaml", access: { type: "localBlob", mediaType: "application/x-tar" } };
    const [write] = plan(alpha, { descriptors: () => described("example.org/alpha", "1.0.0", [layer, tar]) }).writes;
    equal(write?.manifest.spec.config, undefined);
  });

  test("what cannot be fetched is told apart from what cannot be read (U161)", () => {
    const id = { component: "c", version: "1.0.0" };
    match(
      descriptorProblem(id, new Error("no route")).problem,
      /failed to get config file for ocm artifact with name="c" and version="1.0.0": no route$/,
    );
  });
});

describe("names, versions, selectors", () => {
  test("a Manifest name is a label value: at most 63 characters, no dash at the end where it was cut (U020)", () => {
    holds(
      property(string({ minLength: 1, maxLength: 80 }), string({ maxLength: 80 }), (kyma, component) => {
        const name = manifestName(kyma, component, "m");
        ok(name.length <= 62);
        equal(name, manifestName(kyma, component, "m"));
      }),
      { numRuns: 300 },
    );
    equal(
      manifestName("default-id", "kyma-project.io/module/some-module", "module1"),
      "default-id-some-module-1831772875",
    );
  });

  test("versions are read leniently, with all of 64 bits", () => {
    deepEqual(parseCore("v1.2"), [1n, 2n, 0n]);
    equal(parseCore("1.2.3.4"), undefined);
    equal(parseCore(`${2n ** 64n}.0.0`), undefined);
  });

  test("a selector that asks for nothing matches nothing (U114)", () => {
    const everyone = parseSelector({});
    ok("matches" in everyone && !everyone.matches({ a: "b" }));
    const notIn = parseSelector({ matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] });
    ok("matches" in notIn && notIn.matches({}) && !notIn.matches({ a: "b" }));
    deepEqual(parseSelector({ matchExpressions: [{ key: "a", operator: "Near" }] }), {
      problem: '"Near" is not a valid label selector operator',
    });
    ok("problem" in parseSelector({ matchLabels: { "not a key": "x" } }));
  });

  test("the nearest names come first, far ones never", () => {
    deepEqual(nearestNames("telemetrie", ["telemetry", "istio", "telemetry-collector"]), ["telemetry"]);
    deepEqual(nearestNames("sitio", ["istio", "other"]), ["istio"]);
    deepEqual(nearestNames("zzz", ["istio"]), []);
  });

  test("contains ignores what the server adds and sees what differs", () => {
    ok(contains({ a: { b: 1, c: 2 }, l: [1] }, { a: { b: 1 }, l: [1], gone: undefined }));
    ok(!contains({ a: { b: 1 } }, { a: { b: 2 } }) && !contains({ l: [1, 2] }, { l: [1] }));
  });
});

describe("mandatory modules", () => {
  const mandatory = (name: string, version = "1.0.0"): ModuleReleaseMeta => meta(name, { mandatory: { version } });
  const input = (metas: ModuleReleaseMeta[], templates: ModuleTemplate[], kyma = kymaWith([])) => ({
    kyma,
    metas,
    catalog: catalogView(namespace, metas, templates),
    settings: { registry: "r", syncNamespace: "kyma-system" },
    manifests: [],
    descriptors: ({ component, version }: { component: string; version: string }) => described(component, version),
  });

  test("one that cannot be installed is reported, the others are installed", () => {
    const { writes, problems } = planMandatory(input([mandatory("alpha"), mandatory("buoy")], [template("buoy")]));
    equal(writes.length, 1);
    match(problems.get("alpha") ?? "", /ModuleTemplate.operator.kyma-project.io "alpha-1.0.0" not found/);
  });

  test("a Manifest that is as wanted is not written again", () => {
    const once = input([mandatory("buoy")], [template("buoy")]);
    const manifests = planMandatory(once).writes.map(({ manifest }) => manifest);
    deepEqual(planMandatory({ ...once, manifests }).writes, []);
  });

  test("a release that is being deleted, and a Kyma that is, get nothing", () => {
    const going = {
      ...mandatory("buoy"),
      metadata: { name: "buoy", namespace, deletionTimestamp: "2026-01-01T00:00:00Z" },
    };
    deepEqual(planMandatory(input([going], [template("buoy")])).writes, []);
    const kyma = kymaWith([]);
    const deleted = { ...kyma, metadata: { ...kyma.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    deepEqual(planMandatory(input([mandatory("buoy")], [template("buoy")], deleted)).writes, []);
  });
});
