import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { build } from "@kyma-operators/kustomize";
import { diskTree } from "../cli/kustomize-files.ts";
import { parseFlags, splitArguments } from "../cmd/flags/flags.ts";
import { operatorFlags } from "../cmd/flags/operator.ts";
import { validateFlags } from "../cmd/flags/validate.ts";

const root = join(import.meta.dirname, "..");

type Labels = Readonly<Record<string, string>>;
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold?: number;
}
interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: {
    readonly requests: { readonly cpu: string; readonly memory: string };
    readonly limits: { readonly memory: string; readonly cpu?: string };
  };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly readOnly?: boolean }[];
}
interface PodSpec {
  readonly serviceAccountName: string;
  readonly terminationGracePeriodSeconds: number;
  readonly priorityClassName: string;
  readonly securityContext: object;
  readonly topologySpreadConstraints: readonly {
    readonly topologyKey: string;
    readonly labelSelector: { readonly matchLabels: Labels };
  }[];
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
}
interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Labels } & Labels;
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly name: string; readonly namespace: string }[];
}

const isSubset = (part: Labels, whole: Labels): boolean =>
  Object.entries(part).every(([key, value]) => whole[key] === value);

describe.each(["default", "split", "sharded", "local", "webhook", "dashboard"])("config/%s", (overlay) => {
  const objects = build(diskTree(), join(root, "config", overlay)) as unknown as readonly KubeObject[];
  const ofKind = (kind: string): readonly KubeObject[] => objects.filter((object) => object.kind === kind);
  const pods = ofKind("Deployment").flatMap(({ metadata, spec }) =>
    spec?.template === undefined ? [] : [{ name: metadata.name, ...spec.template }],
  );
  const containers = pods.flatMap(({ name, spec: { containers: all } }) =>
    all.map((container) => ({ name, ...container })),
  );

  test("its Deployments are the restricted, spread and patient ones", () => {
    ok(pods.length > 0);
    for (const { name, metadata, spec } of pods) {
      deepEqual(spec.securityContext, {
        fsGroup: 65_532,
        runAsGroup: 65_532,
        runAsNonRoot: true,
        runAsUser: 65_532,
        seccompProfile: { type: "RuntimeDefault" },
      });
      deepEqual(
        spec.topologySpreadConstraints.map(({ topologyKey }) => topologyKey),
        ["kubernetes.io/hostname", "topology.kubernetes.io/zone"],
      );
      for (const { labelSelector } of spec.topologySpreadConstraints)
        deepEqual(labelSelector.matchLabels, metadata.labels, name);
      // The manager gives passes 20 seconds to end before it gives its leases back.
      ok(spec.terminationGracePeriodSeconds > 20, name);
      ok(
        ofKind("PriorityClass").some((object) => object.metadata.name === spec.priorityClassName),
        name,
      );
    }
  });

  test("its containers are probed, limited, and may write to their cache only", () => {
    for (const {
      name,
      startupProbe,
      livenessProbe,
      readinessProbe,
      resources,
      securityContext,
      ...container
    } of containers) {
      deepEqual(securityContext, {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      });
      equal(livenessProbe?.httpGet.path, "/healthz", name);
      equal(readinessProbe?.httpGet.path, "/readyz", name);
      ok((startupProbe?.periodSeconds ?? 0) * (startupProbe?.failureThreshold ?? 0) >= 60, name);
      ok(resources.requests.cpu !== "" && resources.requests.memory !== "" && resources.limits.memory !== "", name);
      // A limit of CPU would hold up the renewal of leases.
      equal(resources.limits.cpu, undefined, name);
      const writable = container.volumeMounts.filter(({ readOnly }) => readOnly !== true);
      deepEqual(
        writable.map((mount) => mount.name),
        ["cache"],
        name,
      );
    }
  });

  test("its arguments are flags that the operator takes together", () => {
    for (const { args } of containers) validateFlags(parseFlags(operatorFlags, splitArguments(args, operatorFlags)));
  });

  const selected = (labels: Labels) => pods.filter((pod) => isSubset(labels, pod.metadata.labels));
  const hasPort = ({ containers: all }: PodSpec, name: string): boolean =>
    all.some(({ ports }) => ports.some((port) => port.name === name));

  test("every Service finds Pods, by ports that they have", () => {
    for (const { metadata, spec } of ofKind("Service")) {
      const found = selected(spec?.selector ?? {});
      ok(found.length > 0, metadata.name);
      for (const { targetPort } of spec?.ports ?? [])
        for (const pod of found) ok(hasPort(pod.spec, targetPort), `${metadata.name}: ${targetPort}`);
    }
  });

  test("every Pod has one disruption budget, and every budget has Pods", () => {
    const guarded = ofKind("PodDisruptionBudget").map(({ spec }) => selected(spec?.selector?.matchLabels ?? {}));
    for (const found of guarded) ok(found.length > 0);
    deepEqual(
      guarded
        .flat()
        .map(({ name }) => name)
        .toSorted(),
      pods.map(({ name }) => name).toSorted(),
    );
  });

  test("every account, role and binding has its counterpart", () => {
    const accounts = ofKind("ServiceAccount").map(({ metadata }) => metadata.name);
    deepEqual([...new Set(pods.map(({ spec }) => spec.serviceAccountName))].toSorted(), accounts.toSorted());
    const idOf = (kind: string, name: string): string => `${kind} ${name}`;
    const roles = [...ofKind("Role"), ...ofKind("ClusterRole")].map(({ kind, metadata }) => idOf(kind, metadata.name));
    const bindings = [...ofKind("RoleBinding"), ...ofKind("ClusterRoleBinding")];
    deepEqual(
      bindings.map(({ roleRef }) => idOf(roleRef?.kind ?? "", roleRef?.name ?? "")).toSorted(),
      roles.toSorted(),
    );
    for (const { subjects = [] } of bindings) {
      ok(subjects.length > 0);
      for (const { name, namespace } of subjects) ok(accounts.includes(name) && namespace === "kcp-system", name);
    }
  });
});
