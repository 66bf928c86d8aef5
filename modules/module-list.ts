import { type CustomResourcePolicy, forbiddenChannel, type Kyma, type ModuleStatus } from "../apis/operator/kyma.ts";
import { type ModuleProblem, otherProblem } from "./problems.ts";

/** One module a pass looks at: wanted (`enabled`), or removed from the spec and not gone yet. */
export interface ListedModule {
  readonly name: string;
  /** Of the entry itself; absent means the channel of the Kyma. */
  readonly channel?: string;
  /** Installed version, for removed modules only. */
  readonly version?: string;
  readonly policy?: CustomResourcePolicy;
  readonly enabled: boolean;
  readonly unmanaged: boolean;
  /** The entry itself is unusable. */
  readonly problem?: ModuleProblem;
}

/** True for the channel that passes the schema and is refused all the same. */
export function isForbiddenChannel(channel: string | undefined): boolean {
  return channel?.toLowerCase() === forbiddenChannel;
}

/** The wanted modules in their order, then those that are only left in the status. The first of equal names wins. */
export function listModules(kyma: Kyma): readonly ListedModule[] {
  const wanted = (kyma.spec.modules ?? []).map((module): ListedModule => {
    const { name, channel, customResourcePolicy: policy = "CreateAndDelete", managed = true } = module;
    return {
      name,
      ...(channel ? { channel } : {}),
      policy,
      enabled: true,
      unmanaged: !managed,
      ...(isForbiddenChannel(channel) ? { problem: forbidden(`Kyma spec.modules for module ${name}`) } : {}),
    };
  });
  const seen = new Set<string>();
  return [...wanted, ...removedModules(kyma).map(removed)].filter(({ name }) => {
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** Entries of the status whose module is no longer in the spec. */
export function removedModules(kyma: Kyma): readonly ModuleStatus[] {
  const wanted = new Set((kyma.spec.modules ?? []).map(({ name }) => name));
  return (kyma.status?.modules ?? []).filter(({ name }) => !wanted.has(name));
}

function removed(entry: ModuleStatus): ListedModule {
  return {
    name: entry.name,
    ...(entry.channel ? { channel: entry.channel } : {}),
    ...(entry.version ? { version: entry.version } : {}),
    enabled: false,
    unmanaged: false,
    ...(entry.template === undefined ? { problem: withoutTemplate(entry.name) } : {}),
  };
}

function forbidden(where: string): ModuleProblem {
  const message = `invalid configuration in ${where}: Channel "${forbiddenChannel}" is not allowed`;
  return { ...otherProblem(message), beforeChannel: true };
}

function withoutTemplate(name: string): ModuleProblem {
  const message = `invalid module entry in Kyma status for module ${name}: ModuleTemplate reference is missing`;
  return { ...otherProblem(message), beforeChannel: true };
}
