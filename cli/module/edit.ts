import type { CustomResourcePolicy, Kyma, KymaModule } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { nearestNames } from "../../modules/nearest.ts";
import { moduleErrors } from "./errors.ts";
import { nameOf } from "./kyma-access.ts";

export interface Wanted {
  readonly name: string;
  /** Absent: the channel of the Kyma. */
  readonly channel?: string;
  readonly policy?: CustomResourcePolicy;
  readonly managed?: boolean;
}

/**
 * Checks that the module exists in the channel it would get. Throws `MODULE_UNKNOWN_MODULE` or
 * `MODULE_NOT_IN_CHANNEL`.
 */
export function checkAvailable(wanted: Wanted, kyma: Kyma, releases: readonly ModuleReleaseMeta[]): void {
  const release = releases.find(({ metadata }) => metadata.name === wanted.name);
  if (release === undefined) {
    const known = releases.map(({ metadata }) => metadata.name ?? "").sort();
    throw moduleErrors.UNKNOWN_MODULE({ module: wanted.name, near: nearestNames(wanted.name, known)[0], known });
  }
  const channel = wanted.channel ?? kyma.spec.channel;
  const channels = (release.spec.channels ?? []).map((entry) => entry.channel);
  if (!channels.includes(channel)) throw moduleErrors.NOT_IN_CHANNEL({ module: wanted.name, channel, channels });
}

/** The modules of the Kyma with this one added or replaced; the same array when nothing would change. */
export function withModule(kyma: Kyma, wanted: Wanted): readonly KymaModule[] {
  const modules = kyma.spec.modules ?? [];
  const old = modules.find(({ name }) => name === wanted.name);
  const { channel: _, ...kept } = old ?? { name: wanted.name };
  const next: KymaModule = {
    ...kept,
    ...(wanted.channel === undefined ? {} : { channel: wanted.channel }),
    ...(wanted.policy === undefined ? {} : { customResourcePolicy: wanted.policy }),
    ...(wanted.managed === undefined ? {} : { managed: wanted.managed }),
  };
  if (old === undefined) return [...modules, next];
  return sameModule(old, next) ? modules : modules.map((module) => (module === old ? next : module));
}

function sameModule(a: KymaModule, b: KymaModule): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof KymaModule>;
  return [...keys].every((key) => a[key] === b[key]);
}

/** The modules of the Kyma without this one. Throws `MODULE_NOT_ENABLED`. */
export function withoutModule(kyma: Kyma, module: string): readonly KymaModule[] {
  enabledModule(kyma, module);
  return (kyma.spec.modules ?? []).filter(({ name }) => name !== module);
}

/** The entry of an enabled module. Throws `MODULE_NOT_ENABLED`. */
export function enabledModule(kyma: Kyma, module: string): KymaModule {
  const modules = kyma.spec.modules ?? [];
  const found = modules.find(({ name }) => name === module);
  if (found !== undefined) return found;
  throw moduleErrors.NOT_ENABLED({ module, kyma: nameOf(kyma), enabled: modules.map(({ name }) => name) });
}
