import type { Compat } from "../version.ts";

/** The API versions that helm assumes without a cluster, by group and in its order; `!3` and `!4` mark what only one has. */
const groups: readonly (readonly [group: string, versions: string])[] = [
  ["", "v1"],
  ["admissionregistration.k8s.io", "v1 v1alpha1 v1beta1"],
  ["internal.apiserver.k8s.io", "v1alpha1"],
  ["apps", "v1 v1beta1 v1beta2"],
  ["authentication.k8s.io", "v1 v1alpha1 v1beta1"],
  ["authorization.k8s.io", "v1 v1beta1"],
  ["autoscaling", "v1 v2 v2beta1 v2beta2"],
  ["batch", "v1 v1beta1"],
  ["certificates.k8s.io", "v1 v1beta1 v1alpha1"],
  ["coordination.k8s.io", "v1alpha2 v1beta1 v1"],
  ["discovery.k8s.io", "v1 v1beta1"],
  ["events.k8s.io", "v1 v1beta1"],
  ["extensions", "v1beta1"],
  ["flowcontrol.apiserver.k8s.io", "v1 v1beta1 v1beta2 v1beta3"],
  ["networking.k8s.io", "v1 v1alpha1!3 v1beta1"],
  ["node.k8s.io", "v1 v1alpha1 v1beta1"],
  ["policy", "v1 v1beta1"],
  ["rbac.authorization.k8s.io", "v1 v1beta1 v1alpha1"],
  ["resource.k8s.io", "v1!4 v1beta2!4 v1beta1 v1alpha3"],
  ["scheduling.k8s.io", "v1alpha1 v1beta1 v1"],
  ["storage.k8s.io", "v1beta1 v1 v1alpha1"],
  ["storagemigration.k8s.io", "v1beta1!4 v1alpha1!3"],
  ["apiextensions.k8s.io", "v1beta1 v1"],
];

/** The list of helm 4.1.4 or 3.17.3. */
export function apiVersionsOf(compat: Compat): string[] {
  return groups.flatMap(([group, versions]) =>
    versions
      .split(" ")
      .map((version) => version.split("!"))
      .filter(([, only]) => only === undefined || only === String(compat))
      .map(([version = ""]) => (group === "" ? version : `${group}/${version}`)),
  );
}
