/** The flags of the lifecycle manager that can be wrong; texts and numbers as parsed, durations in milliseconds. */
export interface CheckedFlags {
  readonly certManagement: string;
  /** Absent: not given, so that our own image is used. */
  readonly watcherImageTag?: string;
  readonly watcherImageRegistry?: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly certKeySize: number;
  readonly jitterProbability: number;
  readonly jitterPercentage: number;
  /** Absent: no loop of this process needs a registry. */
  readonly registry?: { readonly host: string; readonly credSecret: string };
  readonly restrictedModules: string;
}

const certManagements: ReadonlySet<string> = new Set([
  "cert-manager.io/v1",
  "cert.gardener.cloud/v1alpha1",
  "built-in",
]);
const restrictedList = /^([a-z]{3,}(-[a-z]{3,})*(,[a-z]{3,}(-[a-z]{3,})*)*)?$/;
const keySize = 4096;

type Rule = (flags: CheckedFlags) => string | undefined;

/** In the words of the original, which people search for. */
const rules: readonly Rule[] = [
  ({ certManagement }) =>
    certManagements.has(certManagement) ? undefined : `unsupported certificate management system: '${certManagement}'`,
  ({ watcherImageTag }) => (watcherImageTag === "" ? "runtime watcher image tag is not provided" : undefined),
  ({ watcherImageRegistry }) =>
    watcherImageRegistry === "" ? "runtime watcher image registry is not provided" : undefined,
  ({ renewDeadlineMs, leaseDurationMs }) =>
    renewDeadlineMs < leaseDurationMs
      ? undefined
      : `configured leader-election-renew-deadline must be less than leader-election-lease-duration (${(leaseDurationMs / 1000).toFixed(1)}[s])`,
  ({ certKeySize }) => (certKeySize === keySize ? undefined : `invalid self-signed-cert-key-size: must be ${keySize}`),
  ({ jitterProbability }) =>
    isWithin(jitterProbability, 0.05)
      ? undefined
      : "invalid manifest requeue jitter probability: must be between 0 and 0.05",
  ({ jitterPercentage }) =>
    isWithin(jitterPercentage, 1) ? undefined : "invalid manifest requeue jitter percentage: must be between 0 and 1",
  ({ registry }) => (registry === undefined ? undefined : registryProblem(registry.host, registry.credSecret)),
  ({ restrictedModules }) =>
    restrictedList.test(restrictedModules)
      ? undefined
      : "invalid restricted-default-modules: must be a comma-separated list of module names matching '^[a-z]{3,}(-[a-z]{3,})*$'",
];

/** What is wrong with the flags, one text per fault. */
export function flagProblems(flags: CheckedFlags): readonly string[] {
  return rules.flatMap((rule) => rule(flags) ?? []);
}

function isWithin(value: number, most: number): boolean {
  return value >= 0 && value <= most;
}

function registryProblem(host: string, secret: string): string | undefined {
  if (host === "" && secret === "") {
    return "the flags --oci-registry-host and --oci-registry-cred-secret cannot be both empty";
  }
  if (host === "" || secret === "") return undefined;
  return "only one of --oci-registry-host or --oci-registry-cred-secret should be provided";
}
