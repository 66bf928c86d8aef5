import type { ObjectKey } from "@kyma-operators/kube";
import { type Change, jsonEqual, keyOf, type Store } from "@kyma-operators/runtime";
import type { Kyma, ModuleStatus } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { ModuleTemplate } from "../../apis/operator/module-template.ts";

/** Index of Kymas by the modules in their status. */
export const byModule = "module";

export function modulesOf({ status }: Kyma): readonly string[] {
  return (status?.modules ?? []).map(({ name }) => name);
}

/** Kymas that run a module from this template, and those that miss a template of the module. */
export function usersOfTemplate(kymas: Store<Kyma>, template: ModuleTemplate): readonly ObjectKey[] {
  const { moduleName } = template.spec;
  if (moduleName === undefined) return [];
  return keysWhere(kymas, moduleName, ({ template: used }) => {
    return used === undefined || used.metadata?.name === template.metadata.name;
  });
}

/** Which Kymas a change of a ModuleReleaseMeta concerns, and whether they may take their time. */
export interface ReleaseUsers {
  readonly keys: readonly ObjectKey[];
  /** An upgrade of many at once is spread; whoever waits for a module is not kept waiting. */
  readonly spread: boolean;
}

export function usersOfRelease(kymas: Store<Kyma>, change: Change<ModuleReleaseMeta>): ReleaseUsers {
  const { moduleName } = change.object.spec;
  if (change.type === "added" && change.initial) return { keys: [], spread: false };
  if (change.type !== "updated") return { keys: keysWhere(kymas, moduleName, () => true), spread: false };
  const { channels: before = [], ...otherBefore } = change.old.spec;
  const { channels: after = [], ...otherAfter } = change.object.spec;
  if (!jsonEqual(otherBefore, otherAfter)) return { keys: keysWhere(kymas, moduleName, () => true), spread: true };
  const changed = changedChannels(before, after);
  const concerns = (entry: ModuleStatus, kyma: Kyma): boolean => changed.has(entry.channel || kyma.spec.channel);
  return { keys: keysWhere(kymas, moduleName, concerns), spread: true };
}

type Channels = NonNullable<ModuleReleaseMeta["spec"]["channels"]>;

/** Channels that were added, removed or point to another version. */
function changedChannels(before: Channels, after: Channels): ReadonlySet<string> {
  const versionIn = (list: Channels, channel: string) => list.find((entry) => entry.channel === channel)?.version;
  const all = [...before, ...after].map(({ channel }) => channel);
  return new Set(all.filter((channel) => versionIn(before, channel) !== versionIn(after, channel)));
}

function keysWhere(
  kymas: Store<Kyma>,
  module: string,
  concerns: (entry: ModuleStatus, kyma: Kyma) => boolean,
): readonly ObjectKey[] {
  return kymas
    .byIndex(byModule, module)
    .filter((kyma) => kyma.status?.modules?.some((entry) => entry.name === module && concerns(entry, kyma)))
    .map(keyOf);
}
