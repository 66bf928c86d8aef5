/** An environment variable of the operator. */
export interface Variable {
  readonly help: string;
  /** Set where the variable is only known so that nobody waits for its effect: why it has none. */
  readonly noEffect?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable that the operator knows, under upstream's names. */
export const operatorVariables: Readonly<Record<string, Variable>> = {
  KUBECONFIG: { help: "kubeconfig of the control plane, where `--kubeconfig` is not given" },
  MAINTENANCE_POLICY_PATH: {
    help: "folder of the maintenance policy `policy.json`; `/etc/maintenance-policy` where it is not set",
  },
  GODEBUG: {
    help: "`fips140=on` or `fips140=only` shows in the metric `lifecycle_mgr_fips_mode`; handed on to the agents on remote clusters",
  },
  KLM_EXPERIMENTAL_MANAGED_FIELDS_ANALYSIS_LABEL: {
    help: "label of Manifests whose objects are looked at for managers that nobody expects; not set: none are",
  },
  KLM_EXPERIMENTAL_KNOWN_MANAGERS: { help: "managers that are expected there, separated by `;`" },
  KLM_EXPERIMENTAL_FREQUENCY_LIMITER_TTL: {
    help: "seconds between two reports of one object, 10 to 9999; 300 where it is not set",
  },
  ENABLE_LEGACY_KYMA_DELETION: {
    help: "the former order of a Kyma's deletion",
    noEffect: "Kymas are deleted in the order of the current releases",
  },
};

/** The variables that are set to `true` although they do nothing here, with the reason to show. */
export function ineffectiveVariables(env: Environment): readonly { readonly name: string; readonly reason: string }[] {
  return Object.entries(operatorVariables).flatMap(([name, { noEffect }]) =>
    noEffect !== undefined && env[name] === "true" ? [{ name, reason: noEffect }] : [],
  );
}
