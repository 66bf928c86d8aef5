/** How a state should feel to who reads it; each has its own icon and colour. */
export type Tone = "error" | "warning" | "leaving" | "busy" | "idle" | "ready";

/** The most urgent one first. */
export const tones: readonly Tone[] = ["error", "warning", "leaving", "busy", "idle", "ready"];

const toneByState: ReadonlyMap<string, Tone> = new Map([
  ["Ready", "ready"],
  ["Processing", "busy"],
  ["Pending", "busy"],
  ["Warning", "warning"],
  ["Error", "error"],
  ["Failed", "error"],
  ["Deleting", "leaving"],
  ["Terminating", "leaving"],
  ["Unmanaged", "idle"],
]);

export function toneOf(state: string): Tone {
  return toneByState.get(state) ?? "idle";
}

/** Place of a state among others: the most urgent has the lowest. */
export function urgencyOf(state: string): number {
  return tones.indexOf(toneOf(state));
}

/** True for what a person should look at. */
export function needsAttention(state: string): boolean {
  const tone = toneOf(state);
  return tone === "error" || tone === "warning";
}
