import { Objects } from "../controllers/objects.ts";
import type { WorkloadOptions } from "../options.ts";
import type { Core } from "../rest/call.ts";
import { timestamp } from "../system-clock.ts";
import { runClaimController } from "./claims.ts";
import { runCronJobController } from "./cron-jobs.ts";
import { runDaemonSetController } from "./daemon-sets.ts";
import { runDeploymentController } from "./deployments.ts";
import { runEndpointController } from "./endpoints.ts";
import { runJobController } from "./jobs.ts";
import { nodeName, runPodSimulator } from "./pods.ts";
import { runReplicaSetController } from "./replica-sets.ts";
import { runStatefulSetController } from "./stateful-sets.ts";

/** Runs the workload controllers and the simulated node until the returned function is called. */
export function startWorkload(core: Core, options: WorkloadOptions): () => void {
  const as = (name: string): Objects => new Objects(core, name);
  const stops = [
    runDeploymentController(as("deployment-controller")),
    runReplicaSetController(as("replicaset-controller")),
    runStatefulSetController(as("statefulset-controller")),
    runDaemonSetController(as("daemonset-controller")),
    runJobController(as("job-controller")),
    runCronJobController(as("cronjob-controller")),
    runEndpointController(as("endpoint-controller")),
    runClaimController(as("persistentvolume-binder")),
    ...(options.node === false ? [] : [runPodSimulator(as("kubelet"), options)]),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The simulated node, as an object. */
export async function ensureNode(objects: Objects): Promise<void> {
  if (objects.get("/nodes", "", nodeName) !== undefined) return;
  const time = timestamp(objects.now);
  const node = await objects.create("/nodes", {
    metadata: { name: nodeName, labels: { "kubernetes.io/hostname": nodeName, "kubernetes.io/os": "linux" } },
  });
  const capacity = { cpu: "64", memory: "256Gi", pods: "10000" };
  const ready = {
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    message: "kubelet is posting ready status",
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
  await objects.changeStatus("/nodes", node, () => ({
    capacity,
    allocatable: capacity,
    conditions: [ready],
    addresses: [{ type: "InternalIP", address: "192.168.0.2" }],
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "simulated://1",
      kernelVersion: "",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.3",
      machineID: "",
      operatingSystem: "linux",
      osImage: "simulated",
      systemUUID: "",
    },
  }));
}
