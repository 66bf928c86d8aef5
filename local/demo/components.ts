import { gzipSync } from "node:zlib";
import { type ComponentDescriptor, type LocalBlob, parseDescriptor, pushComponentVersion } from "@kyma-operators/ocm";
import { createRegistryClient, digestOf, writeTar } from "oras-js";
import { readFolder } from "./demo-files.ts";

/** A component version ready to be pushed. */
export interface DemoComponent {
  readonly descriptor: ComponentDescriptor;
  readonly blobs: readonly LocalBlob[];
}

export interface Layer {
  readonly name: string;
  readonly type: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** Versions of the demo's modules; the templates in `config/samples/demo` name the same ones. */
const greeterVersions = ["1.0.0", "1.1.0"];
const meteringVersions = ["1.0.0"];

/** The demo's modules from the folder `local/demo/modules`: one is a Helm chart, the other a plain manifest. */
export async function demoComponents(folder: string): Promise<readonly DemoComponent[]> {
  const chart = await readFolder(`${folder}/greeter`);
  const manifest = (await readFolder(`${folder}/metering`)).get("manifest.yaml") ?? new Uint8Array();
  return [
    ...greeterVersions.map((version) => component("greeter", version, chartLayer("greeter", version, chart))),
    ...meteringVersions.map((version) =>
      component("metering", version, {
        name: "raw-manifest",
        type: "directoryTree",
        mediaType: "application/yaml",
        content: manifest,
      }),
    ),
  ];
}

/** Packs the chart as that version, as `helm package --version --app-version` does. */
function chartLayer(name: string, version: string, files: ReadonlyMap<string, Uint8Array>): Layer {
  const entries = [...files].map(([path, content]) => ({
    path: `${name}/${path}`,
    content: path === "Chart.yaml" ? withVersion(content, version) : content,
  }));
  return {
    name,
    type: "helmChart",
    mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
    content: gzipSync(writeTar(entries)),
  };
}

function withVersion(chartYaml: Uint8Array, version: string): Uint8Array {
  const text = new TextDecoder().decode(chartYaml);
  return new TextEncoder().encode(text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`));
}

/** A component version with one layer, which it describes as a local blob. */
export function component(module: string, version: string, layer: Layer): DemoComponent {
  const digest = digestOf(layer.content);
  const descriptor = parseDescriptor({
    meta: { schemaVersion: "v2" },
    component: {
      name: `example.test/module/${module}`,
      version,
      provider: "example.test",
      repositoryContexts: [{ type: "OCIRegistry", baseUrl: "registry.example.test", componentNameMapping: "urlPath" }],
      sources: [],
      componentReferences: [],
      resources: [
        {
          name: layer.name,
          version,
          type: layer.type,
          relation: "local",
          access: { type: "localBlob", localReference: digest, mediaType: layer.mediaType },
        },
      ],
    },
  });
  return { descriptor, blobs: [{ digest, content: layer.content }] };
}

/** Pushes component versions to the registry at this base URL, for example `http://127.0.0.1:5000`. */
export async function pushComponents(
  baseUrl: string,
  components: readonly DemoComponent[],
  signal: AbortSignal,
): Promise<void> {
  const client = createRegistryClient();
  try {
    for (const one of components) await pushComponentVersion(client, { baseUrl }, one, { signal });
  } finally {
    await client.close();
  }
}
