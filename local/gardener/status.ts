import type { LastError, Shoot } from "@kyma-operators/gardener";
import type { Failure } from "./timeline.ts";

/** The error that a failure without errors of its own stands for. */
export function errorOf({ codes, description = "the infrastructure refused the request" }: Failure): LastError {
  return { description, ...(codes === undefined ? {} : { codes }) };
}

/** Fields that Gardener always writes together. */
export function identityOf({ metadata, spec }: Shoot): Readonly<Record<string, unknown>> {
  const project = (metadata.namespace ?? "").replace(/^garden-/, "");
  return {
    gardener: { id: "simulated", name: "gardenlet-0", version: "1.117.0" },
    hibernated: spec.hibernation?.enabled === true,
    technicalID: `shoot--${project}--${metadata.name ?? ""}`,
    uid: metadata.uid ?? "",
    ...(spec.seedName === undefined ? {} : { seedName: spec.seedName }),
  };
}

const conditionTypes = [
  "APIServerAvailable",
  "ControlPlaneHealthy",
  "EveryNodeReady",
  "ObservabilityComponentsHealthy",
  "SystemComponentsHealthy",
];

/** Conditions and networks of a Shoot that is done since `time` (RFC 3339). */
export function finishedStatus({ spec }: Shoot, time: string): Readonly<Record<string, unknown>> {
  const conditions = conditionTypes.map((type) => ({
    type,
    status: "True",
    reason: "Healthy",
    message: "All checks are successful.",
    lastTransitionTime: time,
    lastUpdateTime: time,
  }));
  const { nodes, pods, services } = spec.networking ?? {};
  const networking = Object.fromEntries(
    Object.entries({ nodes, pods, services }).flatMap(([key, cidr]) => (cidr === undefined ? [] : [[key, [cidr]]])),
  );
  return { conditions, networking };
}
