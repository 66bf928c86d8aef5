import { hasCode, textOf } from "@kyma-operators/errors";
import type { Client } from "@kyma-operators/kube";
import { fieldManagers } from "../apis/operator/finalizers.ts";
import { manifests } from "../apis/operator/group.ts";
import type { ModuleStatus } from "../apis/operator/kyma.ts";
import { labels } from "../apis/operator/labels.ts";
import type { Manifest } from "../apis/operator/manifest.ts";
import { forEachBounded } from "./bounded.ts";
import type { ManifestWrite } from "./plan-modules.ts";

const writesAtOnce = 10;

/** A write that the API server did not take. */
export interface WriteFailure {
  readonly module: string;
  readonly manifest: string;
  readonly error: unknown;
}

/** Carries out planned writes. One that fails does not stop the others. */
export async function writeManifests(
  client: Client,
  writes: readonly ManifestWrite[],
  signal: AbortSignal,
): Promise<readonly WriteFailure[]> {
  const failures = await forEachBounded(writes, writesAtOnce, async (write) => writeOne(client, write, signal));
  return failures.map(({ item: { manifest }, error }) => ({
    module: manifest.metadata.labels?.[labels.moduleName] ?? "",
    manifest: manifest.metadata.name ?? "",
    error,
  }));
}

async function writeOne(client: Client, { verb, manifest }: ManifestWrite, signal: AbortSignal): Promise<void> {
  const fieldManager = fieldManagers.lifecycleManager;
  if (verb === "apply") {
    await client.apply<Manifest>(manifests, manifest, { fieldManager, force: true, signal });
    return;
  }
  const { name = "", namespace = "", uid } = manifest.metadata;
  const change =
    verb === "replace"
      ? client.update<Manifest>(manifests, manifest, { fieldManager, signal })
      : client.delete(
          { resource: manifests, namespace, name },
          { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) },
        );
  await ignoreMissing(change);
}

/** What is gone need not be deleted or brought up to date. */
async function ignoreMissing(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!hasCode(error, "KUBE_NOT_FOUND")) throw error;
  }
}

/** The entries with those in Error whose Manifest could not be written. */
export function withFailures(
  modules: readonly ModuleStatus[],
  failures: readonly WriteFailure[],
): readonly ModuleStatus[] {
  return modules.map((module) => {
    const failure = failures.find((candidate) => candidate.module === module.name);
    return failure === undefined ? module : { ...module, state: "Error", message: textOf(failure.error) };
  });
}
