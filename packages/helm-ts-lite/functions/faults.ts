/** Go's run-time fault for a bad slice of something of that length, or undefined when the bounds are fine. */
export function sliceFault(start: number, end: number, length: number, what = "length"): string | undefined {
  if (end < 0) return `runtime error: slice bounds out of range [:${end}]`;
  if (end > length) return `runtime error: slice bounds out of range [:${end}] with ${what} ${length}`;
  if (start < 0) return `runtime error: slice bounds out of range [${start}:]`;
  return start > end ? `runtime error: slice bounds out of range [${start}:${end}]` : undefined;
}
