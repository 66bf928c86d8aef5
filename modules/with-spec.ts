/**
 * The object with a spec, if only an empty one; the same object when it has one. The schemas of our kinds ask for none:
 * for use as the transform of an informer, so that what one author has left out does not stop the work on everything
 * else.
 */
export function withSpec<T extends object>(object: T): T {
  const { spec } = object as { readonly spec?: unknown };
  return typeof spec === "object" && spec !== null ? object : { ...object, spec: {} };
}
