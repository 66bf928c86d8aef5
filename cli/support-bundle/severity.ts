import type { AnyObject } from "@kyma-operators/kube";
import { stateOf } from "../../apis/progress.ts";

/** States of our kinds from the worst to the best; what is neither stands in the middle. */
const states = [
  "Error",
  "Failed",
  "Warning",
  "Deleting",
  "Terminating",
  "Processing",
  "Pending",
  "",
  "Unmanaged",
  "Ready",
];

/** Objects whose trouble is a cause come before those that only wait; otherwise in the order given. */
export function worstFirst(items: readonly AnyObject[]): readonly AnyObject[] {
  return items.toSorted((a, b) => rank(a) - rank(b));
}

function rank(item: AnyObject): number {
  const found = states.indexOf(stateOf(item));
  return found === -1 ? states.indexOf("") : found;
}
