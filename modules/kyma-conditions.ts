import {
  type KymaConditionType,
  kymaConditionMessages,
  kymaConditionReason,
  kymaConditionTypes,
} from "../apis/operator/kyma-conditions.ts";
import type { Condition, ConditionStatus } from "../apis/operator/object.ts";

/** What a Kyma controller does beyond the modules, and therefore reports on. */
export interface KymaFeatures {
  readonly watcher: boolean;
  readonly pullSecret: boolean;
}

/** What a pass found out; a type that is missing stays unknown. */
export type Findings = Readonly<Record<string, ConditionStatus | undefined>>;

const unknownType = "no detailed message available as condition or status is unknown to API";

/** The condition types that a Kyma has with these features, in their order. */
export function conditionTypes({ watcher, pullSecret }: KymaFeatures): readonly KymaConditionType[] {
  const absent = new Set<KymaConditionType>();
  if (!watcher) absent.add("SKRWebhook");
  if (!pullSecret) absent.add("SKRImagePullSecretSync");
  return kymaConditionTypes.filter((type) => !absent.has(type));
}

/**
 * The condition list of a Kyma after a pass. Types that the features do not name are dropped.
 *
 * `lastTransitionTime` moves only when the status of a type changes.
 *
 * @param now - RFC 3339.
 */
export function kymaConditions(
  features: KymaFeatures,
  findings: Findings,
  previous: readonly Condition[],
  { generation, now }: { readonly generation: number; readonly now: string },
): readonly Condition[] {
  const known: readonly string[] = conditionTypes(features);
  const types = [...known, ...Object.keys(findings).filter((type) => !known.includes(type))];
  return types.map((type) => {
    const status = findings[type] ?? "Unknown";
    const before = previous.find((condition) => condition.type === type);
    return {
      type,
      status,
      reason: kymaConditionReason,
      message: messageOf(type, status),
      observedGeneration: generation,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
    };
  });
}

function messageOf(type: string, status: ConditionStatus): string {
  const known = kymaConditionTypes.find((name) => name === type);
  return known === undefined ? unknownType : kymaConditionMessages[known][status];
}
