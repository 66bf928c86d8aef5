import { join, relative } from "node:path";
import type { AnyObject } from "@kyma-operators/kube";
import { build, type FileTree, treeOf } from "@kyma-operators/kustomize";
import { type ImageOverride, parseImage } from "./image.ts";
import type { Bases } from "./kustomization-source.ts";

/** What the operator's installation depends on. */
export interface SetupInput {
  readonly namespace: string;
  /** Whole image reference; absent: that of the built-in manifests. */
  readonly image?: string | undefined;
  /** Tag of the image; absent: that of the built-in manifests. */
  readonly version?: string | undefined;
  readonly imagePullSecret?: string | undefined;
  readonly profile?: "evaluation" | "production" | undefined;
  /** Where the components of modules are, as `HOST[/PATH]`. */
  readonly registry: string;
  /** Secret of type dockerconfigjson that names the registry instead, with its credentials. */
  readonly registrySecret?: string | undefined;
  /** Serve the web page, on loopback of the Pod. */
  readonly openDashboard?: boolean | undefined;
  /** Kustomizations that replace the built-in manifests; none: those are used. */
  readonly bases: Bases;
}

/** The image and the Deployment of the built-in manifests. */
export const operator = { image: "kyma-operators", name: "kyma-operator" } as const;

/** A single cluster has no Gardener and no agent that reports from elsewhere. */
const singleClusterControllers = "kyma,mandatory-module,manifest,purge";
const builtIn = ["config/crd", "config/rbac", "config/manager"];

/** The folder of the product in which no file is: overlay and fetched files seem to lie there. */
export function overlayFolder(root: string): string {
  return join(root, "kyma-deploy.overlay");
}

/**
 * The objects of the operator, built in process from the kustomize bases of the suite.
 *
 * @param root - the product's files.
 * @param disk - the files that bases are read from.
 */
export function buildSetup(root: string, disk: FileTree, input: SetupInput): readonly AnyObject[] {
  const folder = overlayFolder(root);
  const overlay = Buffer.from(JSON.stringify(overlayOf(folder, root, input)));
  const files = treeOf(new Map([...input.bases.files, [join(folder, "kustomization.yaml"), overlay]]));
  const tree: FileTree = {
    resolve: (path) => (path.startsWith(folder) ? files.resolve(path) : disk.resolve(path)),
    read: (path) => (path.startsWith(folder) ? files.read(path) : disk.read(path)),
  };
  return build(tree, folder) as unknown as readonly AnyObject[];
}

/** The rights that the operator itself needs on a runtime. */
export function remoteRole(root: string, disk: FileTree): AnyObject {
  const [role] = build(disk, join(root, "config/remote")) as unknown as readonly AnyObject[];
  if (role?.kind !== "ClusterRole") throw new Error("config/remote holds no ClusterRole");
  return role;
}

function overlayOf(folder: string, root: string, input: SetupInput): Readonly<Record<string, unknown>> {
  const given = input.bases.folders;
  const bases = given.length === 0 ? builtIn.map((base) => join(root, base)) : given;
  const override = overrideOf(input);
  return {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    namespace: input.namespace,
    resources: bases.map((base) => relative(folder, base)),
    ...(override === undefined ? {} : { images: [{ name: operator.image, ...override }] }),
    ...(given.length === 0
      ? {
          labels: [{ pairs: { "app.kubernetes.io/part-of": "kyma-operators" } }],
          patches: [{ patch: JSON.stringify(deploymentPatch(input)) }],
        }
      : {}),
  };
}

function overrideOf({ image, version }: SetupInput): ImageOverride | undefined {
  if (image === undefined) return version === undefined ? undefined : { newTag: version };
  return { ...parseImage(image), ...(version === undefined ? {} : { newTag: version }) };
}

function deploymentPatch(input: SetupInput): AnyObject {
  const small = input.profile === "evaluation";
  const container = {
    name: "manager",
    args: argumentsFor(input),
    ...(small ? { resources: smallResources } : {}),
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: operator.name, namespace: "kcp-system" },
    spec: {
      ...(small ? { replicas: 1 } : {}),
      template: {
        spec: {
          containers: [container],
          ...(input.imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: input.imagePullSecret }] }),
        },
      },
    },
  };
}

const smallResources = { requests: { cpu: "20m", memory: "128Mi" }, limits: { memory: "512Mi" } };

function argumentsFor({ namespace, registry, registrySecret, openDashboard }: SetupInput): readonly string[] {
  const slash = registry.indexOf("/", registry.indexOf("://") < 0 ? 0 : registry.indexOf("://") + 3);
  const host = slash < 0 ? registry : registry.slice(0, slash);
  const path = slash < 0 ? "" : registry.slice(slash + 1);
  return [
    `--controllers=${singleClusterControllers}`,
    `--namespace=${namespace}`,
    registrySecret === undefined ? `--oci-registry-host=${host}` : `--oci-registry-cred-secret=${registrySecret}`,
    ...(path === "" ? [] : [`--modules-repository-subpath=${path}`]),
    "--data-dir=/cache",
    // No agent reports changes of the Kyma on this cluster, so it is looked at often.
    "--kyma-requeue-success-interval=30s",
    ...(openDashboard === true ? ["--dashboard-bind-address=127.0.0.1:8085"] : []),
  ];
}
