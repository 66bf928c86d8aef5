/** States shared by all kinds of the group; the empty state is that of an object nobody has looked at yet. */
export const states = ["Processing", "Deleting", "Ready", "Error", "", "Warning", "Unmanaged"] as const;

export type State = (typeof states)[number];

/** True for a value of the state enum; anything else from outside must not be trusted. */
export function isState(value: unknown): value is State {
  return states.some((state) => state === value);
}
