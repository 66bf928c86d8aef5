/**
 * Runs the task for every item, at most `limit` at a time, and waits for all. One failure does not stop the others:
 * the failures come back beside their items.
 */
export async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<void>,
): Promise<readonly { readonly item: T; readonly error: unknown }[]> {
  const failures: { readonly item: T; readonly error: unknown }[] = [];
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      try {
        await task(item);
      } catch (error) {
        failures.push({ item, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return failures;
}
