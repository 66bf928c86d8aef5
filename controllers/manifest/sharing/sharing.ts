import type { Manifest, ManifestStatus } from "../../../apis/operator/manifest.ts";
import type { Condition } from "../../../apis/operator/object.ts";
import { describeRef, identityOf } from "../inventory/identity.ts";
import type { Pass } from "../pass.ts";
import { withExtraCondition } from "../status.ts";
import { refsOf } from "./claimed-refs.ts";
import type { Claims } from "./claims.ts";

/** Condition that names other Manifests with the same objects; present only while there are any. */
export const sharingCondition = "Sharing";
/** Reason of the condition and of the event that tells of it. */
export const sharingReason = "ObjectsShared";

/** The report on a status, if any. */
export function sharingIn(status: ManifestStatus | undefined): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === sharingCondition);
}

/** The Manifests (`namespace/name`) that the report on a status names. */
export function holdersTold(status: ManifestStatus | undefined): readonly string[] {
  const [, told = ""] = / belongs? to (.*) too;/.exec(sharingIn(status)?.message ?? "") ?? [];
  return told.split(", ");
}

/** Whether the status says of shared objects what is the case. */
export function tellsSharing(manifest: Manifest, claims: Claims): boolean {
  const message = claims.anyShared(manifest) ? sharingMessage(manifest, claims) : undefined;
  return sharingIn(manifest.status)?.message === message;
}

/** The status with a report of the objects that other Manifests have too; without one when there are none. */
export function withSharing({ manifest, status, claims, now }: Pass): ManifestStatus {
  const message = sharingMessage({ ...manifest, status }, claims);
  const report = message === undefined ? undefined : { status: "True" as const, reason: sharingReason, message };
  return withExtraCondition(status, sharingCondition, report, now);
}

/** As many as there are modules on a cluster: one that vanishes untold passes for a stranger, whose objects we leave. */
const shownHolders = 20;

function sharingMessage(manifest: Manifest, claims: Claims): string | undefined {
  const refs = refsOf(manifest);
  const holders = claims.holdersOf(manifest, refs);
  const shared = refs.filter((ref) => holders.has(identityOf(ref)));
  // Modules often bring a Namespace alike; what they may differ in is told first.
  const first = shared.find(({ kind }) => kind !== "Namespace") ?? shared[0];
  if (first === undefined) return undefined;
  const rest = holders.size > 1 ? ` and ${holders.size - 1} more` : "";
  const ofFirst = holders.get(identityOf(first)) ?? [];
  const ofAny = new Set([...holders.values()].flat());
  const others = [...new Set([...ofFirst.toSorted(), ...[...ofAny].toSorted()])];
  const named = others.slice(0, shownHolders).join(", ") + (others.length > shownHolders ? ", …" : "");
  const verb = holders.size > 1 ? "belong" : "belongs";
  return `${describeRef(first)}${rest} ${verb} to ${named} too; the last to apply decides, and deletion keeps what others have`;
}
