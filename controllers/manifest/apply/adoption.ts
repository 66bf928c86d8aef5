import type { Pass } from "../pass.ts";
import { withExtraCondition } from "../status.ts";

/** Condition that tells whose fields the installation took over; present until a later one takes none. */
export const adoptionCondition = "Adoption";

const shownFields = 5;

/** The status with a report of what was taken over from others in this pass. */
export function withAdoption(pass: Pass): Pass["status"] {
  const { takenOver, status, now } = pass;
  if (takenOver.length === 0) return status;
  const shown = takenOver.slice(0, shownFields).join("; ");
  const rest = takenOver.length > shownFields ? ` and ${takenOver.length - shownFields} more` : "";
  const message = `fields that others had set were taken over: ${shown}${rest}`;
  return withExtraCondition(status, adoptionCondition, { status: "True", reason: "FieldsTakenOver", message }, now);
}

/** The status without the report of an earlier installation. */
export function withoutAdoption(pass: Pass): Pass["status"] {
  return withExtraCondition(pass.status, adoptionCondition, undefined, pass.now);
}
