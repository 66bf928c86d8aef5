/**
 * Runs an action for every item, at most `limit` at once, and returns the results in the order of the items.
 *
 * The first failure is thrown after the actions that have started have ended; no further ones start.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  action: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      try {
        results[index] = await action(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}
