import { deepEqual, equal, match, rejects, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import {
  createLayoutClient,
  type Descriptor,
  digestOf,
  type FileClient,
  filesInMemory,
  mediaTypes,
  parseReference,
  writeTar,
} from "oras-js";
import { pullResource } from "./contents.ts";
import { resolveLayer } from "./layers.ts";
import { repositoryFor, tagOf } from "./names.ts";
import { descriptorLimitBytes, getComponentVersion } from "./pull.ts";
import { buildComponentArtifact, pushComponentVersion } from "./push.ts";
import { componentMediaTypes } from "./repository-media-types.ts";
import { example, exampleDocument, exampleWith } from "./testing.ts";
import { formatDescriptor } from "./write.ts";

const where = { baseUrl: "reg.local:5001", subPath: "modules" };
const id = { name: example.name, version: example.version };
const target = { ...repositoryFor(where, example.name), tag: tagOf(example.version) };
const blob = { digest: example.digests.rawManifest, content: Buffer.from(example.rawManifest) };
const [raw] = exampleDocument.component.resources;

const emptyClient = (): FileClient => createLayoutClient(filesInMemory(new Map()));

describe("the worked example", () => {
  test("is built with the digests on record", () => {
    const { blobs, manifest } = buildComponentArtifact(exampleWith(), [blob], example.creator);
    deepEqual(
      blobs.map(({ content }) => digestOf(content)),
      [example.digests.rawManifest, example.digests.tar, example.digests.config],
    );
    equal(digestOf(formatDescriptor(exampleWith())), example.digests.descriptor);
    equal(digestOf(manifest), example.digests.manifest);
  });

  test("is pushed and read back", async () => {
    const client = emptyClient();
    const pushed = await pushComponentVersion(
      client,
      where,
      { descriptor: exampleWith(), blobs: [blob] },
      { creator: example.creator },
    );
    equal(pushed.digest, example.digests.manifest);
    equal(pushed.reference, "reg.local:5001/modules/component-descriptors/example.org/module/demo:1.4.2.build-rc.1");
    const component = await getComponentVersion(client, where, id);
    deepEqual(component.descriptor, exampleWith());
    equal(component.manifestDigest, example.digests.manifest);
    deepEqual(
      component.layers.map(({ digest }) => digest),
      [example.digests.rawManifest],
    );
    deepEqual(resolveLayer(component.descriptor, component.repository, "raw-manifest"), {
      kind: "blob",
      repository: component.repository,
      digests: [example.digests.rawManifest],
      mediaType: "application/octet-stream",
    });
    equal(Buffer.from(await pullResource(client, component, "raw-manifest")).toString(), example.rawManifest);
  });

  test("is not pushed without its local blob, or with another one", async () => {
    const push = (blobs: readonly (typeof blob)[]): Promise<unknown> =>
      pushComponentVersion(emptyClient(), where, { descriptor: exampleWith(), blobs });
    await rejects(push([]), /its local blob was not given/);
    await rejects(push([{ ...blob, content: Buffer.from("x") }]), /the given blob has sha256:/);
  });
});

/** Pushes a component version whose parts may be wrong. */
async function pushRaw(
  client: FileClient,
  parts: {
    config?: string;
    configType?: string;
    layer?: Uint8Array;
    layerType?: string;
    layers?: readonly Descriptor[];
  } = {},
): Promise<Descriptor> {
  const content =
    parts.layer ??
    writeTar([{ path: "component-descriptor.yaml", content: Buffer.from(formatDescriptor(exampleWith())) }]);
  const layer = await client.pushBlob(target, content, {
    mediaType: parts.layerType ?? componentMediaTypes.descriptorTar[0],
  });
  const text = parts.config ?? JSON.stringify({ componentDescriptorLayer: layer });
  const config = await client.pushBlob(target, Buffer.from(text), {
    mediaType: parts.configType ?? componentMediaTypes.config[0],
  });
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.ociManifest, config, layers: parts.layers ?? [layer] };
  return client.pushManifest(target, Buffer.from(JSON.stringify(manifest)));
}

const tarOf = (path: string, content: string): Uint8Array => writeTar([{ path, content: Buffer.from(content) }]);
const yaml = formatDescriptor(exampleWith());

describe("getComponentVersion", () => {
  const readable = [
    ...componentMediaTypes.config.map((configType) => ({ name: configType, parts: { configType } })),
    ...componentMediaTypes.descriptorTar.map((layerType) => ({ name: layerType, parts: { layerType } })),
    ...componentMediaTypes.descriptorYaml.map((layerType) => ({
      name: layerType,
      parts: { layerType, layer: Buffer.from(yaml) },
    })),
    ...componentMediaTypes.descriptorJson.map((layerType) => ({
      name: layerType,
      parts: { layerType, layer: Buffer.from(JSON.stringify(exampleDocument)) },
    })),
  ];
  for (const { name, parts } of readable) {
    test(`reads ${name}`, async () => {
      const client = emptyClient();
      await pushRaw(client, parts);
      deepEqual((await getComponentVersion(client, where, id)).descriptor, exampleWith());
    });
  }

  test("tolerates a leading slash in the tar", async () => {
    const client = emptyClient();
    const tar = Buffer.from(tarOf("xcomponent-descriptor.yaml", yaml));
    tar[0] = "/".charCodeAt(0);
    // the sum of the header has changed with the letter
    const sum = Number.parseInt(tar.subarray(148, 154).toString(), 8) + "/".charCodeAt(0) - "x".charCodeAt(0);
    tar.write(sum.toString(8).padStart(6, "0"), 148);
    await pushRaw(client, { layer: tar });
    deepEqual((await getComponentVersion(client, where, id)).descriptor, exampleWith());
  });

  const refused: readonly { name: string; parts: Parameters<typeof pushRaw>[1]; reason: RegExp }[] = [
    {
      name: "a config of another kind",
      parts: { configType: "application/vnd.oci.image.config.v1+json" },
      reason: /not a component: config media type is application\/vnd\.oci/,
    },
    { name: "a config that is no JSON", parts: { config: "<html>" }, reason: /ComponentDescriptorConfig is no JSON/ },
    {
      name: "a config without layer",
      parts: { config: "{}" },
      reason: /ComponentDescriptorLayer is nil in ComponentDescriptorConfig/,
    },
    {
      name: "a config without digest",
      parts: { config: '{"componentDescriptorLayer":{}}' },
      reason: /ComponentDescriptorLayer\.Digest is empty in ComponentDescriptorConfig/,
    },
    {
      name: "a digest that is none",
      parts: { config: '{"componentDescriptorLayer":{"digest":"x"}}' },
      reason: /ComponentDescriptorLayer\.Digest is no digest/,
    },
    {
      name: "a layer that is not in the manifest",
      parts: { layers: [] },
      reason: /is not among the layers of the manifest/,
    },
    {
      name: "a layer of an unknown kind",
      parts: { layerType: "text/plain" },
      reason: /descriptor media type text\/plain is unknown/,
    },
    {
      name: "a tar without the file",
      parts: { layer: tarOf("other.yaml", yaml) },
      reason: /component-descriptor\.yaml not found in TAR archive/,
    },
    { name: "an empty layer", parts: { layer: new Uint8Array() }, reason: /layer content is empty/ },
    {
      name: "a descriptor above the limit",
      parts: { layer: tarOf("component-descriptor.yaml", " ".repeat(descriptorLimitBytes + 1)) },
      reason: /limit|too large/,
    },
    {
      name: "a layer far above the limit",
      parts: { layer: Buffer.alloc(200_000) },
      reason: /entry in the TAR archive is too large/,
    },
    {
      name: "a layer that is no tar",
      parts: { layer: Buffer.alloc(1_000, "x") },
      reason: /not a readable tar archive/,
    },
    {
      name: "a descriptor that cannot be read",
      parts: { layer: tarOf("component-descriptor.yaml", "a: [") },
      reason: /failed to decode component descriptor/,
    },
  ];
  for (const { name, parts, reason } of refused) {
    test(`refuses ${name}`, async () => {
      const client = emptyClient();
      await pushRaw(client, parts);
      await rejects(getComponentVersion(client, where, id), reason);
    });
  }

  test("names component and version, as the original does", async () => {
    const client = emptyClient();
    await pushRaw(client, { config: "{}" });
    await rejects(getComponentVersion(client, where, id), {
      message:
        'failed to get config file for ocm artifact with name="example.org/module/demo" and version="1.4.2+rc.1": ComponentDescriptorLayer is nil in ComponentDescriptorConfig',
    });
  });

  for (const [field, other] of [
    ["name", "example.org/module/other"],
    ["version", "9.9.9"],
  ] as const) {
    test(`refuses a descriptor of another ${field}`, async () => {
      const client = emptyClient();
      const resources = [{ ...raw, version: field === "version" ? other : example.version }];
      await pushRaw(client, {
        layer: tarOf("component-descriptor.yaml", formatDescriptor(exampleWith({ [field]: other, resources }))),
      });
      await rejects(
        getComponentVersion(client, where, id),
        /expected component example\.org\/module\/demo:1\.4\.2\+rc\.1, found/,
      );
    });
  }

  describe("of an index", () => {
    async function pushIndex(client: FileClient, entries: (entry: Descriptor) => readonly Descriptor[]): Promise<void> {
      const entry = await pushRaw(client);
      const index = { schemaVersion: 2, mediaType: mediaTypes.ociIndex, manifests: entries(entry) };
      await client.pushManifest(target, Buffer.from(JSON.stringify(index)));
    }
    const marked = { annotations: { "software.ocm.descriptor": "true" } };
    const other: Descriptor = { mediaType: mediaTypes.ociManifest, digest: digestOf("other"), size: 5 };

    test("takes the annotated entry, else the first one", async () => {
      for (const entries of [
        (entry: Descriptor) => [other, { ...entry, ...marked }],
        (entry: Descriptor) => [entry, other],
      ]) {
        const client = emptyClient();
        await pushIndex(client, entries);
        deepEqual((await getComponentVersion(client, where, id)).descriptor, exampleWith());
      }
    });

    test("refuses several annotated entries, and none at all", async () => {
      const several = emptyClient();
      await pushIndex(several, (entry) => [
        { ...entry, ...marked },
        { ...other, ...marked },
      ]);
      await rejects(getComponentVersion(several, where, id), /index has 2 entries annotated/);
      const empty = emptyClient();
      await pushIndex(empty, () => []);
      await rejects(getComponentVersion(empty, where, id), /index is empty/);
    });
  });
});

describe("resolveLayer", () => {
  const repository = parseReference("reg.io/repo");
  const locate = (access: object): unknown =>
    resolveLayer(exampleWith({ resources: [{ ...raw, access }] }), repository, "raw-manifest");
  const digest = digestOf("x");
  const local = { kind: "blob", repository, digests: [digest], mediaType: "a/b" };

  const cases = [
    { name: "localBlob", access: { type: "localBlob", localReference: digest, mediaType: "a/b" }, want: local },
    { name: "localBlob/v1", access: { type: "localBlob/v1", localReference: digest, mediaType: "a/b" }, want: local },
    { name: "LocalBlob", access: { type: "LocalBlob", localReference: digest, mediaType: "a/b" }, want: local },
    { name: "localOciBlob", access: { type: "localOciBlob", digest }, want: { ...local, mediaType: "" } },
    {
      name: "several blobs",
      access: { type: "localBlob", localReference: `${digest}, ${digest}`, mediaType: "a/b" },
      want: { ...local, digests: [digest, digest] },
    },
    {
      name: "ociRegistry/v1",
      access: { type: "ociRegistry/v1", imageReference: "reg.io/x:1" },
      want: { kind: "artifact", reference: parseReference("reg.io/x:1") },
    },
    {
      name: "ociBlob",
      access: { type: "ociBlob", ref: "reg.io/y", digest, mediaType: "a/b", size: 3 },
      want: { kind: "blob", repository: parseReference("reg.io/y"), digests: [digest], mediaType: "a/b", size: 3 },
    },
    {
      name: "helm",
      access: { type: "helm", helmRepository: "https://charts.io", helmChart: "c:1.0.0" },
      want: { kind: "helm", repositoryUrl: "https://charts.io", chart: "c", version: "1.0.0" },
    },
    {
      name: "helm with a version of its own",
      access: { type: "Helm/v1", helmRepository: "https://charts.io", helmChart: "c", version: "2" },
      want: { kind: "helm", repositoryUrl: "https://charts.io", chart: "c", version: "2" },
    },
  ];
  for (const { name, access, want } of cases) test(`finds ${name}`, () => deepEqual(locate(access), want));

  const refused = [
    { name: "an access that we do not know", access: { type: "s3" }, reason: /access type "s3" is not supported/ },
    {
      name: "one named like a property of every object",
      access: { type: "constructor" },
      reason: /access type "constructor" is not supported/,
    },
    { name: "none", access: { type: "none" }, reason: /has no content/ },
    {
      name: "an empty local reference",
      access: { type: "localBlob", localReference: "" },
      reason: /has no localReference/,
    },
    {
      name: "a local reference that is a name",
      access: { type: "localBlob", localReference: "file.yaml" },
      reason: /no digest: file\.yaml/,
    },
  ];
  for (const { name, access, reason } of refused) test(`refuses ${name}`, () => throws(() => locate(access), reason));

  test("names the resources that there are", () => {
    throws(
      () => resolveLayer(exampleWith(), repository, "crds"),
      /no resource "crds"; found raw-manifest, demo-manager/,
    );
  });

  test("concatenates what was split into several blobs", async () => {
    const client = emptyClient();
    const parts = [Buffer.from("hello "), Buffer.from("world")];
    const access = {
      type: "localBlob",
      localReference: parts.map((part) => digestOf(part)).join(","),
      mediaType: "text/plain",
    };
    const descriptor = exampleWith({ resources: [{ ...raw, access }] });
    await pushComponentVersion(client, where, {
      descriptor,
      blobs: parts.map((content) => ({ digest: digestOf(content), content })),
    });
    const component = await getComponentVersion(client, where, id);
    equal(Buffer.from(await pullResource(client, component, "raw-manifest")).toString(), "hello world");
    match(JSON.stringify(component.layers.map(({ mediaType }) => mediaType)), /octet-stream.*octet-stream/);
  });
});
