import { textOf } from "@kyma-operators/errors";
import type { AnyObject } from "@kyma-operators/kube";
import type { Manifest, ManifestStatus } from "../apis/operator/manifest.ts";
import type { State } from "../apis/operator/state.ts";
import {
  deploymentState,
  enterState,
  type FoundSecret,
  formatImageReference,
  hasSyncedDiff,
  inDeletionGroups,
  initializeStatus,
  isConnectionRelated,
  isNotFound,
  isOperatorRelated,
  managerState,
  markTrue,
  nestedMessage,
  operations,
  parseImageReference,
  refOf,
  removedRefs,
  type SyncedRef,
  transform,
  versionedIdOf,
} from "../controllers/manifest/index.ts";

/** Answers one row of `kyma/manifest-side.json`: table name → `in` → what the product says. */
export const manifestTables: Readonly<Record<string, (input: never) => unknown>> = {
  "deployment-state": (deployment: AnyObject) => deploymentState(deployment),
  "manager-state": ({ resources, pods }: { resources: AnyObject[]; pods: AnyObject[] }) =>
    managerState(resources, pods),
  "image-reference": (text: string) => orError(() => imageParts(text)),
  transforms: (input: TransformRow) => orError(() => transformRow(input)),
  synced: syncedRow,
  "operator-related": (kind: string) => isOperatorRelated(kind),
  "manifest-status": manifestStatusRow,
  errors: errorRow,
};

/**
 * Rows that show an upstream fault which the specification tells us to fix, and which fix it is. What we answer
 * instead is asserted by the unit tests beside the code.
 */
export const fixedRows: Readonly<Record<string, string>> = {
  "deployment-state/01": "M8: no conditions yet is progress, not an error",
  "manager-state/04": "M8",
  "manager-state/05": "M8",
  "transforms/19": "M14: a manager without namespace fits any namespace",
  "synced/04": "M10: a StatefulSet may be the operator",
  "synced/08": "fault 54: another API version is the same live object",
  "synced/12": "M15: lists are compared both ways",
  "operator-related/10": "M10",
  "manifest-status/04": "M13: entering Deleting does not complete the installation",
  "manifest-status/06": "M13",
};

interface TransformRow {
  readonly manifest: Manifest;
  readonly resources: readonly AnyObject[];
  readonly skrImagePullSecret?: string;
  readonly deployerInjection?: boolean;
  readonly kcpSecrets?: readonly AnyObject[];
}

const namespacedKinds = new Set([
  "ConfigMap",
  "Secret",
  "Service",
  "ServiceAccount",
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Role",
]);
const clusterKinds = new Set(["Namespace", "ClusterRole", "CustomResourceDefinition"]);

function transformRow(row: TransformRow): readonly AnyObject[] {
  return transform(row.resources, {
    manifest: row.manifest,
    scopeOf: (_group, _version, kind) =>
      namespacedKinds.has(kind) ? true : clusterKinds.has(kind) ? false : undefined,
    ...(row.skrImagePullSecret === undefined ? {} : { pullSecret: row.skrImagePullSecret }),
    ...(row.deployerInjection === true ? { injected: secretsByName(row) } : {}),
  });
}

function secretsByName(row: TransformRow): ReadonlyMap<string, FoundSecret> {
  const names = row.resources.map((object) => object.metadata.name ?? "");
  return new Map(
    names.map((name) => [
      name,
      row.kcpSecrets?.find((secret) => secret.metadata.name === name) ?? { problem: "not there" },
    ]),
  );
}

function imageParts(text: string): unknown {
  const reference = parseImageReference(text);
  return { ...reference, string: formatImageReference(reference) };
}

function syncedRow({ synced, target }: { synced: SyncedRef[]; target: AnyObject[] }): unknown {
  const wanted = target.map(refOf);
  const prune = removedRefs(wanted, synced);
  const { pruneFirst, pruneLast } = inDeletionGroups(prune);
  return {
    changed: hasSyncedDiff(synced, wanted),
    newSynced: wanted,
    prune: prune.map(versionedIdOf),
    pruneFirst: pruneFirst.map(versionedIdOf),
    pruneLast: pruneLast.map(versionedIdOf),
  };
}

const now = "2026-01-02T03:04:05Z";

function manifestStatusRow({ manifest, steps }: { manifest: Manifest; steps: string[] }): unknown {
  let status: ManifestStatus = manifest.status ?? { state: "" };
  return steps.map((step) => {
    const before = status;
    status = afterStep({ ...manifest, status }, step);
    const { conditions = [], lastOperation, state } = status;
    return {
      step,
      conditions: conditions.map(({ lastTransitionTime: _left, ...condition }) => condition),
      operation: lastOperation?.operation ?? "",
      state,
      ...(step === "initialize" && before.state === "" ? { error: operations.emptyState } : {}),
      ...(step.startsWith("state:") ? { changed: before.state !== state } : {}),
    };
  });
}

function afterStep(manifest: Manifest & { status: ManifestStatus }, step: string): ManifestStatus {
  const { status } = manifest;
  if (step === "initialize") return initializeStatus(manifest, now);
  if (step.startsWith("state:")) return enterState(status, step.slice("state:".length) as State, now);
  const types = { resourcesTrue: "Resources", moduleCRTrue: "ModuleCR", installationTrue: "Installation" } as const;
  const type = types[step as keyof typeof types];
  return markTrue(status, type, now);
}

interface ErrorRow {
  readonly kind: string;
  readonly code?: number;
  readonly text?: string;
  readonly notFound?: boolean;
  readonly wrapped?: boolean;
}

function errorRow(row: ErrorRow): unknown {
  const error = row.wrapped === true ? wrap(errorOf(row)) : errorOf(row);
  return {
    connectionRelated: isConnectionRelated(error),
    nestedMessage: nestedMessage(error),
    notFound: isNotFound(error),
  };
}

const wrap = (error: Error): Error => new Error(`context: ${error.message}`, { cause: error });
const coded = (code: string, text: string): Error => Object.assign(new Error(text), { code });

const statusCodes: Readonly<Record<number, string>> = {
  401: "KUBE_UNAUTHORIZED",
  403: "KUBE_FORBIDDEN",
  404: "KUBE_NOT_FOUND",
  409: "KUBE_CONFLICT",
  429: "KUBE_TOO_MANY_REQUESTS",
};

/** The error our own clients raise where upstream's raise the one that the row describes. */
function errorOf(row: ErrorRow): Error {
  const dial = (cause: Error): Error =>
    row.wrapped === true
      ? new Error(`dial tcp: ${cause.message}`, { cause })
      : new Error(`dial: ${cause.message}`, { cause });
  const kinds: Readonly<Record<string, () => Error>> = {
    status: () => coded(statusCodes[row.code ?? 500] ?? "KUBE_SERVER", row.text ?? ""),
    refused: () => dial(coded("ECONNREFUSED", "connect: connection refused")),
    reset: () =>
      row.wrapped === true
        ? new Error("read tcp: read: connection reset by peer", { cause: coded("ECONNRESET", "read") })
        : dial(coded("ECONNRESET", "read: connection reset by peer")),
    noRoute: () => dial(coded("EHOSTUNREACH", "connect: no route to host")),
    dns: () => coded(row.notFound === true ? "ENOTFOUND" : "EAI_AGAIN", "lookup api.example.test: no such host"),
    timeout: () => coded("KUBE_TIMEOUT", "context deadline exceeded"),
    noMatch: () => coded("KUBE_NO_MATCH", "no matches for kind"),
    klmUnauthorized: () => coded("MANIFEST_APPLY_UNAUTHORIZED", "ServerSideApply is unauthorized"),
    klmExpired: () => coded("MANIFEST_CERTIFICATE_EXPIRED", "SKR access secret certificate is expired"),
    text: () => new Error(row.text ?? ""),
  };
  return kinds[row.kind]?.() ?? new Error(`unknown kind of error ${row.kind}`);
}

function orError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return { error: textOf(error) };
  }
}
