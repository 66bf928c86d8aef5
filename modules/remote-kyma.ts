import { annotations } from "../apis/operator/annotations.ts";
import { apiVersion } from "../apis/operator/group.ts";
import {
  type Kyma,
  type KymaSpec,
  type KymaStatus,
  type ModuleStatus,
  withKymaDefaults,
} from "../apis/operator/kyma.ts";
import { labels, labelValues } from "../apis/operator/labels.ts";
import { names } from "../apis/operator/names.ts";
import type { ObjectMeta } from "../apis/operator/object.ts";

/** Labels of a Kyma that its remote copy shows. */
const copiedLabels = [labels.runtimeId, labels.globalAccountId, labels.subaccountId] as const;

/**
 * The remote Kyma as it is created where there is none: the wanted modules of the control plane are its first ones.
 * Without {@link remoteMarks}, which belong to another field manager.
 */
export function newRemoteKyma(kyma: Kyma, namespace: string): Kyma {
  return {
    apiVersion,
    kind: "Kyma",
    metadata: { name: names.remoteKyma, namespace },
    spec: withKymaDefaults(kyma).spec,
  };
}

/** Labels and annotations of the remote Kyma that are ours; all others are the user's. */
export function remoteMarks(kyma: Kyma): { labels: Record<string, string>; annotations: Record<string, string> } {
  const { namespace = "", name = "", labels: own = {} } = kyma.metadata;
  const copied = copiedLabels.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]] as const]));
  return {
    labels: {
      ...Object.fromEntries(copied),
      [labels.watchedBy]: labelValues.managedByRemote,
      [labels.managedBy]: labelValues.managedByRemote,
    },
    annotations: { [annotations.ownedBy]: `${namespace}/${name}` },
  };
}

/** True when the remote Kyma carries all marks already. */
export function hasMarks(remote: ObjectMeta, marks: ReturnType<typeof remoteMarks>): boolean {
  return (
    Object.entries(marks.labels).every(([key, value]) => remote.labels?.[key] === value) &&
    Object.entries(marks.annotations).every(([key, value]) => remote.annotations?.[key] === value)
  );
}

/**
 * The spec a pass works with. The remote Kyma decides about modules and channel, and about maintenance windows where
 * it says anything; the spec that is stored on the control plane is not changed.
 */
export function specFromRemote(kyma: Kyma, remote: Kyma): KymaSpec {
  const { channel, modules, skipMaintenanceWindows = kyma.spec.skipMaintenanceWindows } = withKymaDefaults(remote).spec;
  return {
    channel,
    ...(modules === undefined ? {} : { modules }),
    ...(skipMaintenanceWindows === undefined ? {} : { skipMaintenanceWindows }),
  };
}

/** The status as the remote cluster shows it: what exists only on the control plane is left out. */
export function remoteStatus(status: KymaStatus | undefined, namespace: string): KymaStatus {
  const { modules, lastOperation = { operation: "" }, ...rest } = status ?? {};
  return {
    ...rest,
    lastOperation,
    ...(modules === undefined ? {} : { modules: modules.map((module) => remoteModule(module, namespace)) }),
  };
}

function remoteModule(module: ModuleStatus, namespace: string): ModuleStatus {
  const shown = Object.fromEntries(
    Object.entries(module).filter(([field]) => field !== "manifest"),
  ) as unknown as ModuleStatus;
  const { template } = module;
  if (template === undefined) return shown;
  return { ...shown, template: { ...template, metadata: { ...template.metadata, namespace } } };
}
