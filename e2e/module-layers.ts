import { gzipSync } from "node:zlib";
import { type ComponentDescriptor, parseDescriptor, pushComponentVersion } from "@kyma-operators/ocm";
import { digestOf, type FileClient, type RegistryClient, writeTar } from "oras-js";

/** A module as its authors ship it: what a Manifest says of its layer, and the layer of each version. */
export interface SampleModule {
  readonly name: string;
  readonly type: "oci-ref" | "oci-dir" | "kustomize";
  readonly values?: object;
  /** The default custom resource, if the module has one. */
  readonly resource?: object;
  readonly layer: (version: string) => Uint8Array;
}

const namespace = "kyma-system";

function archive(files: Readonly<Record<string, string>>): Uint8Array {
  return writeTar(Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) })));
}

const crd = (plural: string, kind: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.sample.example.org}
spec:
  group: sample.example.org
  scope: Namespaced
  names: {kind: ${kind}, listKind: ${kind}List, plural: ${plural}, singular: ${kind.toLowerCase()}}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

const manager = (name: string, image: string, account = ""): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {${account === "" ? "" : `serviceAccountName: ${account}, `}containers: [{name: manager, image: "${image}"}]}
`;

const permissions = (name: string): string => `apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: ${namespace}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${name}}
rules: [{apiGroups: [sample.example.org], resources: ["*"], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name}}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${namespace}}]
`;

/** A chart with a CRD, helpers, values and a hook. */
const scaler: SampleModule = {
  name: "scaler",
  type: "oci-ref",
  values: { replicas: 2 },
  layer: (version) =>
    gzipSync(
      archive({
        "scaler/Chart.yaml": `apiVersion: v2\nname: scaler\nversion: ${version}\nappVersion: "${version}"\n`,
        "scaler/values.yaml": "replicas: 1\nimage: example.org/scaler\n",
        "scaler/crds/scalers.yaml": crd("scalers", "Scaler"),
        "scaler/templates/_helpers.tpl": `{{ define "scaler.image" }}{{ .Values.image }}:{{ .Chart.AppVersion }}{{ end }}`,
        "scaler/templates/permissions.yaml": permissions("scaler"),
        "scaler/templates/manager.yaml": manager("scaler", '{{ include "scaler.image" . }}', "scaler").replace(
          "spec:\n  selector",
          "spec:\n  replicas: {{ .Values.replicas }}\n  selector",
        ),
        "scaler/templates/check.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: scaler-checked, namespace: ${namespace}, annotations: {helm.sh/hook: pre-upgrade}}
data: {version: "{{ .Chart.Version }}"}
`,
      }),
    ),
};

/** One file of plain objects in a tar; its second version brings one object less. */
const collector: SampleModule = {
  name: "collector",
  type: "oci-dir",
  resource: { apiVersion: "sample.example.org/v1", kind: "Collector", metadata: { name: "default", namespace } },
  layer: (version) => {
    const legacy = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: collector-legacy, namespace: ${namespace}}\n`;
    const documents = [
      crd("collectors", "Collector"),
      permissions("collector"),
      manager("collector", `example.org/collector:${version}`, "collector"),
      ...(version.startsWith("1.") ? [legacy] : []),
    ];
    return archive({ "._module.yaml": "left by a file system", "module.yaml": documents.join("---\n") });
  },
};

/** A kustomization whose ConfigMap has its content in its name. */
const greeter: SampleModule = {
  name: "greeter",
  type: "kustomize",
  layer: (version) =>
    archive({
      "kustomization.yaml": `namespace: ${namespace}
namePrefix: greeter-
resources: [base]
images: [{name: example.org/greeter, newTag: "${version}"}]
configMapGenerator: [{name: settings, literals: ["version=${version}"]}]
`,
      "base/kustomization.yaml": "resources: [manager.yaml]\n",
      "base/manager.yaml": manager("manager", "example.org/greeter:latest"),
    }),
};

export const sampleModules: readonly SampleModule[] = [scaler, collector, greeter];

/** Publishes a version of a module as a component, as its pipeline does; gives the digest of its layer. */
export async function publish(
  client: RegistryClient | FileClient,
  host: string,
  { name, layer }: SampleModule,
  version: string,
): Promise<string> {
  const content = layer(version);
  const digest = digestOf(content);
  const access = { type: "localBlob", localReference: digest, mediaType: "application/octet-stream" };
  const descriptor: ComponentDescriptor = parseDescriptor({
    meta: { schemaVersion: "v2" },
    component: {
      name: `example.org/module/${name}`,
      version,
      provider: "example.org",
      repositoryContexts: [],
      resources: [{ name: "raw-manifest", type: "directoryTree", version, relation: "local", access }],
      sources: [],
      componentReferences: [],
    },
  });
  await pushComponentVersion(
    client,
    { baseUrl: host },
    { descriptor, blobs: [{ digest, content }] },
    { creator: "e2e" },
  );
  return digest;
}
