import type { Addresses } from "../../local/world-status.ts";

/** Where everything is, one line each. */
export function addressLines(addresses: Addresses): string {
  const clusters = addresses.clusters.map(({ name, kubeconfig }) => [name, kubeconfig] as const);
  const rows = [
    ...clusters,
    ["dashboard", addresses.dashboard] as const,
    ["registry", addresses.registry] as const,
    ["metrics", addresses.metrics] as const,
    ["operator log", addresses.operatorLog] as const,
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}   ${value}\n`).join("");
}

/** Commands that are worth trying next; `flag` is what tells `kyma local` its folder. */
export function nextSteps(
  addresses: Addresses,
  { program, flag }: { readonly program: string; readonly flag: string },
): string {
  const [controlPlane] = addresses.clusters;
  const runtime = addresses.clusters.find(({ name }) => name.startsWith("runtime"));
  const plane = `kubectl --kubeconfig ${controlPlane?.kubeconfig ?? ""}`;
  const remote = runtime === undefined ? undefined : `kubectl --kubeconfig ${runtime.kubeconfig}`;
  const lines = [
    `${plane} get kyma,manifest,runtime,gardenercluster -A`,
    ...(remote === undefined
      ? []
      : [
          `${remote} get deployments -A`,
          `${remote} -n kyma-system patch kyma default --type merge -p '{"spec":{"channel":"fast"}}'`,
        ]),
    `${program} local status${flag}`,
    `${program} local down${flag}`,
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}
