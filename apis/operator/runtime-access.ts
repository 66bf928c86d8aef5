/**
 * On the access Secret of a Kyma whose runtime is the control plane's own cluster: the ServiceAccount, in the Secret's
 * namespace, whose token is in the kubeconfig. The operator renews that token.
 */
export const runtimeAccountAnnotation = "cli.kyma-project.io/service-account";

/** How long such a token is valid. It is renewed when half of the time is over. */
export const runtimeTokenSeconds = 86_400;

/** The first and the last second of a token, since the epoch; undefined for what is no token with both. */
export function tokenTimes(token: string): { readonly from: number; readonly to: number } | undefined {
  const payload = token.split(".")[1] ?? "";
  try {
    const { iat, exp } = JSON.parse(decodeBase64Url(payload)) as { readonly iat?: unknown; readonly exp?: unknown };
    return typeof iat === "number" && typeof exp === "number" ? { from: iat, to: exp } : undefined;
  } catch {
    return undefined;
  }
}

function decodeBase64Url(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** True when half of a token's time is over, or when it does not say. */
export function isTokenDue(token: string, nowMs: number): boolean {
  const times = tokenTimes(token);
  return times === undefined || nowMs / 1000 >= (times.from + times.to) / 2;
}
