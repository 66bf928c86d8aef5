const decimal = /^[1-9]\d*$/;

/**
 * Compares two resource versions: negative when `a` is older, 0 when equal. Undefined when either is no decimal
 * number; Kubernetes promises decimal, ever-growing versions since 1.35 and has always used them with etcd.
 */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
