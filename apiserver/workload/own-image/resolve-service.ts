import type { AnyObject } from "@kyma-operators/kube";
import type { ServiceResolver } from "../../admission/webhook-client.ts";
import { asText, type Fields, isFields, listAt, valueAt } from "../../resources/kinds/edit.ts";
import { compileLabelSelector } from "../../selectors/label-selector.ts";
import type { Store } from "../../storage/store.ts";
import { isReady, isTerminating } from "../pod-state.ts";

/** Annotation of Pods that run as processes: ports of this machine by port of the container, as JSON. */
export const hostPortsAnnotation = "simulator.kyma-project.io/host-ports";

/** Finds where a Service of the cluster listens on this machine: at a Ready Pod that runs as a process. */
export function ownServices(store: Store): ServiceResolver {
  return ({ namespace, name, port }) => {
    const service = store.get({ collection: "/services", namespace, name })?.object;
    const wanted = listAt(service, "spec", "ports").find((candidate) => candidate.port === port);
    const selector = valueAt(service, "spec", "selector");
    if (wanted === undefined || !isFields(selector)) return undefined;
    const matches = compileLabelSelector({ matchLabels: selector as Readonly<Record<string, string>> });
    for (const { object: pod } of store.list("/pods", namespace)) {
      if (!matches(pod.metadata.labels) || !isReady(pod) || isTerminating(pod)) continue;
      const hostPort = hostPortOf(pod, wanted);
      if (hostPort !== undefined) return `https://127.0.0.1:${hostPort}`;
    }
    return undefined;
  };
}

function hostPortOf(pod: AnyObject, { targetPort, port }: Fields): number | undefined {
  const ports = listAt(pod, "spec", "containers").flatMap((container) => listAt(container, "ports"));
  const target = ports.find(({ name }) => name === targetPort)?.containerPort ?? targetPort ?? port;
  const found = valueAt(parse(pod.metadata.annotations?.[hostPortsAnnotation]), asText(target));
  return typeof found === "number" ? found : undefined;
}

/** Anyone may write an annotation. */
function parse(text = "{}"): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
