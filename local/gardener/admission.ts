import { isDeepStrictEqual } from "node:util";
import {
  codesOf,
  forceDeletionCodes,
  gardenerAnnotations,
  type JsonObject,
  type Shoot,
  shootResource,
} from "@kyma-operators/gardener";
import type { AnyObject } from "@kyma-operators/kube";
import { type ApiError, apiError, type Extension, type Subject, type Write } from "../../apiserver/index.ts";
import { withDefaults } from "./defaults.ts";
import { gardenerUser } from "./identity.ts";
import { validateShoot } from "./validation/shoot.ts";
import { validateShootUpdate } from "./validation/update.ts";
import { validateNewStrategies } from "./validation/workers.ts";

/** Checks that need other objects: catalogue, bindings, project. Throws {@link ApiError}. */
export interface Surroundings {
  /** The Shoot as it will be stored: what the surroundings add is in it. */
  admit(next: Shoot, old: Shoot | undefined, user: string): Promise<Shoot>;
}

/**
 * The rules of Gardener's API server for Shoots.
 *
 * @param surroundings - absent: only what the API server checks by itself, without its admission plugins.
 */
export function shootAdmission(surroundings?: Surroundings): Pick<Extension, "admit" | "raisesGeneration"> {
  return {
    admit: async (write) => (write.operation === "DELETE" ? refuseUnconfirmed(write) : admit(write, surroundings)),
    raisesGeneration,
  };
}

async function admit(write: Write, surroundings: Surroundings | undefined): Promise<AnyObject | undefined> {
  if (write.subresource !== "") return undefined;
  if (write.user.name === gardenerUser.user) return withDefaults(write.object) as AnyObject;
  const next = withDefaults(write.object) as unknown as Shoot & AnyObject;
  const old = write.oldObject as (Shoot & AnyObject) | undefined;
  validate(next, old);
  checkForceDeletion(next, old);
  return ((await surroundings?.admit(next, old, write.user.name)) ?? next) as Shoot & AnyObject;
}

function validate(next: Shoot & JsonObject, old: (Shoot & JsonObject) | undefined): void {
  const problems = validateShoot(next);
  validateNewStrategies(next.spec, old?.spec, problems);
  if (old !== undefined) validateShootUpdate(next, old, problems);
  if (problems.list.length > 0) throw apiError.invalid(subjectOf(next), problems.list);
}

/** How refusals name a Shoot. */
export function subjectOf({ metadata }: Pick<Shoot, "metadata">): Subject {
  return {
    resource: shootResource.plural,
    kind: shootResource.kind,
    group: shootResource.group,
    name: metadata.name ?? "",
  };
}

function refuseUnconfirmed({ object }: Write): undefined {
  if (object.metadata.annotations?.[gardenerAnnotations.confirmDeletion] === "true") return undefined;
  throw forbidden(object, `annotation "${gardenerAnnotations.confirmDeletion}" must be "true" to allow the deletion`);
}

/** Only a deletion that hangs on certain errors may be forced, and never un-forced. */
function checkForceDeletion(next: Shoot, old: Shoot | undefined): void {
  const key = gardenerAnnotations.confirmForceDeletion;
  const isForced = (shoot: Shoot | undefined): boolean => shoot?.metadata.annotations?.[key] === "true";
  if (isForced(old) === isForced(next)) return;
  if (isForced(old)) throw forbidden(next, `annotation "${key}" can't be taken back`);
  if (old !== undefined && allowsForce(old)) return;
  const codes = [...forceDeletionCodes].join(", ");
  throw forbidden(next, `annotation "${key}" needs a deletion that hangs on one of ${codes}`);
}

function allowsForce({ metadata, status }: Shoot): boolean {
  return (
    metadata.deletionTimestamp !== undefined && codesOf(status?.lastErrors).some((code) => forceDeletionCodes.has(code))
  );
}

/** 403 with the words of an admission plugin. */
export function forbidden(shoot: Pick<Shoot, "metadata">, message: string): ApiError {
  return apiError.forbidden(subjectOf(shoot), message);
}

const alwaysReconciles = ["reconcile", "rotate-", "rollout-workers", "force-in-place-update"];

/** Spec changes, a forced deletion and some operations start a reconciliation; other metadata does not. */
function raisesGeneration(next: AnyObject, old: AnyObject): boolean {
  const valueOf = (object: AnyObject, key: string): string => object.metadata.annotations?.[key] ?? "";
  const operation = valueOf(next, gardenerAnnotations.operation);
  const isNew = operation !== valueOf(old, gardenerAnnotations.operation);
  const isFailed = (old as unknown as Shoot).status?.lastOperation?.state === "Failed";
  const starts = (operation === "retry" && isFailed) || alwaysReconciles.some((prefix) => operation.startsWith(prefix));
  const force = gardenerAnnotations.confirmForceDeletion;
  return (
    !isDeepStrictEqual(next["spec"], old["spec"]) || (isNew && starts) || valueOf(next, force) !== valueOf(old, force)
  );
}
