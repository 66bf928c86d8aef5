import { deepEqual, equal } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { type Arbitrary, array, assert as check, integer, nat, property, record, tuple } from "fast-check";
import { planRollout, type RolloutState, resolveShare } from "./rollout.ts";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("planRollout", () => {
  test("adds what the surge allows and takes nothing that is needed", () => {
    const plan = planRollout({
      replicas: 4,
      maxSurge: 1,
      maxUnavailable: 1,
      newReplicas: 0,
      newAvailable: 0,
      old: [{ replicas: 4, available: 4 }],
    });
    deepEqual(plan, { newReplicas: 1, oldReplicas: [3] });
  });

  test("removes broken old Pods first", () => {
    const plan = planRollout({
      replicas: 4,
      maxSurge: 0,
      maxUnavailable: 1,
      newReplicas: 0,
      newAvailable: 0,
      old: [
        { replicas: 1, available: 0 },
        { replicas: 3, available: 3 },
      ],
    });
    deepEqual(plan.oldReplicas, [0, 3]);
  });

  const count = nat(8);
  const old = array(
    tuple(count, count).map(([replicas, available]) => ({ replicas, available: Math.min(replicas, available) })),
    { maxLength: 3 },
  );
  const state: Arbitrary<RolloutState> = record({
    replicas: integer({ min: 1, max: 8 }),
    maxSurge: nat(3),
    maxUnavailable: nat(3),
    newReplicas: count,
    newAvailable: count,
    old,
  }).map((one) => ({ ...one, newAvailable: Math.min(one.newAvailable, one.newReplicas) }));

  test("never asks for more than the surge allows", () => {
    check(
      property(state, (now) => {
        const { newReplicas } = planRollout(now);
        const before = now.newReplicas + sum(now.old.map(({ replicas }) => replicas));
        const limit = Math.max(now.replicas + now.maxSurge, before);
        equal(newReplicas + sum(now.old.map(({ replicas }) => replicas)) <= limit, true);
      }),
    );
  });

  test("never takes an available Pod that is needed", () => {
    check(
      property(state, (now) => {
        const { oldReplicas } = planRollout(now);
        const available = now.newAvailable + sum(now.old.map((set) => set.available));
        const left =
          now.newAvailable + sum(now.old.map((set, index) => Math.min(set.available, oldReplicas[index] ?? 0)));
        equal(left >= Math.min(available, now.replicas - now.maxUnavailable), true);
      }),
    );
  });

  test("ends with the new Pods alone when all become available", () => {
    check(
      property(
        state.filter(({ maxSurge, maxUnavailable }) => maxSurge + maxUnavailable > 0),
        (start) => {
          let now: RolloutState = start;
          for (let step = 0; step < 60; step += 1) {
            const plan = planRollout(now);
            const nextOld = plan.oldReplicas.map((replicas) => ({ replicas, available: replicas }));
            now = { ...now, newReplicas: plan.newReplicas, newAvailable: plan.newReplicas, old: nextOld };
          }
          deepEqual([now.newReplicas, sum(now.old.map(({ replicas }) => replicas))], [start.replicas, 0]);
        },
      ),
    );
  });
});

test("a share is a number or a percentage", () => {
  deepEqual(
    [
      resolveShare("25%", 5, Math.ceil),
      resolveShare("25%", 5, Math.floor),
      resolveShare(3, 5, Math.floor),
      resolveShare(undefined, 5, Math.ceil),
    ],
    [2, 1, 3, 0],
  );
});
