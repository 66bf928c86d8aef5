import type { AnyObject } from "@kyma-operators/kube";
import { type Fields, listAt, valueAt } from "../resources/kinds/edit.ts";
import { formatAge } from "./format.ts";
import type { TableLayout } from "./layout.ts";

const column = (name: string, type = "string", priority = 0, format = ""): TableLayout["columns"][number] => ({
  name,
  type,
  format,
  description: "",
  priority,
});

/** `kubectl get pods`. */
export const podCells: TableLayout = {
  columns: [
    column("Name", "string", 0, "name"),
    column("Ready"),
    column("Status"),
    column("Restarts"),
    column("Age"),
    column("IP", "string", 1),
    column("Node", "string", 1),
    column("Nominated Node", "string", 1),
    column("Readiness Gates", "string", 1),
  ],
  cells: (pod, now) => {
    const statuses = listAt(pod, "status", "containerStatuses");
    const ready = statuses.filter((status) => status.ready === true).length;
    const restarts = statuses.reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0);
    return [
      pod.metadata.name,
      `${ready}/${listAt(pod, "spec", "containers").length}`,
      statusOf(pod, statuses),
      String(restarts),
      formatAge(pod.metadata.creationTimestamp, now),
      valueAt(pod, "status", "podIP") ?? "<none>",
      valueAt(pod, "spec", "nodeName") ?? "<none>",
      "<none>",
      "<none>",
    ];
  },
};

/** The reason a container waits or ended for says more than the phase. */
function statusOf(pod: AnyObject, statuses: readonly Fields[]): unknown {
  if (pod.metadata.deletionTimestamp !== undefined) return "Terminating";
  const reasons = statuses.map(
    (status) => valueAt(status, "state", "waiting", "reason") ?? valueAt(status, "state", "terminated", "reason"),
  );
  const reason = reasons.find((text) => text !== undefined && text !== "");
  return reason ?? valueAt(pod, "status", "reason") ?? valueAt(pod, "status", "phase") ?? "Unknown";
}
