import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Shoot } from "@kyma-operators/gardener";
import type { Runtime } from "../../../apis/infrastructure/index.ts";
import { landscapeText, runtimeObject } from "../../../testing/index.ts";
import { convertToPatch, convertToShoot, parseLandscapeConfig, shootDifferences } from "./index.ts";

const config = parseLandscapeConfig(landscapeText(), "c");
const runtime = runtimeObject() as unknown as Runtime;
const created = convertToShoot({ runtime, config });

/** The Shoot with more in its pool, as Gardener or a person put it there. */
function withPool(more: object): Shoot {
  const { provider } = created.spec;
  const workers = (provider.workers ?? []).map((worker) => ({ ...worker, ...more }));
  return { ...created, spec: { ...created.spec, provider: { ...provider, workers } } };
}

function withIdentity(more: object): Shoot {
  const { kubernetes } = created.spec;
  const oidcConfig = { ...kubernetes.kubeAPIServer?.oidcConfig, ...more };
  const kubeAPIServer = { ...kubernetes.kubeAPIServer, oidcConfig };
  return { ...created, spec: { ...created.spec, kubernetes: { ...kubernetes, kubeAPIServer } } };
}

const pool = "spec.provider.workers[cpu-worker-0]";
const oidc = "spec.kubernetes.kubeAPIServer.oidcConfig";

const cases: readonly (readonly [string, Shoot, readonly string[], readonly string[]])[] = [
  ["nothing", created, [], []],
  [
    "what Gardener filled in stays",
    withPool({ cri: { name: "containerd" }, maxSurge: 1 }),
    [],
    [`${pool}.cri`, `${pool}.maxSurge`],
  ],
  [
    "what a pool of the Runtime does not have goes",
    withPool({ taints: [{ key: "k" }], cri: { name: "containerd" } }),
    [`removed ${pool}.taints`],
    [`${pool}.cri`],
  ],
  ["a setting beside the default goes back to it", withPool({ maxSurge: 5 }), [`changed ${pool}.maxSurge`], []],
  [
    "a claim that is no longer required goes",
    withIdentity({ requiredClaims: { a: "b" } }),
    [`removed ${oidc}.requiredClaims`],
    [],
  ],
  ["everything else stays", { ...created, spec: { ...created.spec, seedName: "s" } }, [], ["spec.seedName"]],
];

describe("a patch, compared with its Shoot:", () => {
  for (const [name, shoot, expected, left] of cases) {
    test(name, () => {
      const { changes, leftToGardener } = shootDifferences(shoot, convertToPatch({ runtime, config, shoot }));
      const texts = changes.map(({ kind, path }) => `${kind} ${path}`);
      const isDns = (path: string): boolean => path.startsWith("spec.dns");
      deepEqual({ changes: texts, left: leftToGardener.filter((path) => !isDns(path)) }, { changes: expected, left });
    });
  }
});
