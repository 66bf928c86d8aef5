/** Names of the credentials of registry caches, as Secrets and as resources of a Shoot, begin with this. */
export const cachePrefix = "reg-cache-";

/** True for a resource that an earlier patch of ours put there for a cache. */
export function isCacheResource({ name }: { readonly name: string }): boolean {
  return name.startsWith(cachePrefix);
}
