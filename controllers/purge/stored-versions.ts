import { hasCode, textOf } from "@kyma-operators/errors";
import { type AnyObject, builtIn, type Client, optional, type Resource } from "@kyma-operators/kube";
import type { Logger } from "@kyma-operators/runtime";
import { crdName, kinds } from "../../apis/operator/group.ts";
import { forEachBounded } from "../../modules/bounded.ts";
import { purgeErrors } from "./errors.ts";

const rewritesAtOnce = 5;

const crds = builtIn.customResourceDefinitions;

/** Versions to drop, by kind: `Kyma:v1beta1,Manifest:v1beta1`. Throws `PURGE_VERSION_MAP`. */
export function parseVersionMap(text: string): ReadonlyMap<string, string> {
  const entries = text.split(",").filter((entry) => entry.trim() !== "");
  return new Map(
    entries.map((entry) => {
      const [kind = "", version = "", ...rest] = entry.trim().split(":");
      if (kind === "" || version === "" || rest.length > 0) throw purgeErrors.VERSION_MAP({ entry });
      return [kind, version] as const;
    }),
  );
}

interface Crd extends AnyObject {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

interface Drop {
  readonly versions: ReadonlyMap<string, string>;
  readonly log: Logger;
}

/** One version of one kind. */
interface FormerVersion {
  readonly kind: Resource;
  readonly version: string;
}

/**
 * Takes former versions off the record of our CRDs, so that a later release may drop them. Objects are rewritten
 * first: only then is none left in the former version. That means those of all namespaces; where we may not write, as
 * in the namespace of a runtime that is the control plane itself, the version stays until they were rewritten by others.
 * What fails is logged; answers whether nothing did.
 */
export async function dropStoredVersions(
  client: Client,
  { versions, log }: Drop,
  signal: AbortSignal,
): Promise<boolean> {
  let isDone = true;
  for (const kind of kinds) {
    const version = versions.get(kind.kind);
    if (version === undefined) continue;
    try {
      await dropVersion(client, { kind, version }, signal);
    } catch (error) {
      isDone = false;
      // Another replica may write, and does it.
      const level = hasCode(error, "RUNTIME_LEASE_LOST") ? "debug" : "error";
      log[level]({ kind: kind.kind, version, error: textOf(error) }, "a former version stays on record");
    }
  }
  return isDone;
}

async function dropVersion(client: Client, former: FormerVersion, signal: AbortSignal): Promise<void> {
  const { kind, version } = former;
  const ref = { resource: crds, name: crdName(kind) };
  const crd = await optional(client.get<Crd>(ref, { signal }));
  if (crd === undefined || !canDrop(crd, version)) return;
  await rewriteAll(client, former, signal);
  for (let attempt = 1; ; attempt += 1) {
    const fresh = await client.get<Crd>(ref, { signal });
    if (!canDrop(fresh, version)) return;
    const storedVersions = (fresh.status?.storedVersions ?? []).filter((stored) => stored !== version);
    try {
      await client.update(
        crds,
        { ...fresh, status: { ...fresh.status, storedVersions } },
        { subresource: "status", signal },
      );
      return;
    } catch (error) {
      if (!hasCode(error, "KUBE_CONFLICT") || attempt === 5) throw error;
    }
  }
}

/** The version in which objects are stored now must never be dropped, nor the last one. */
function canDrop({ spec, status }: Crd, version: string): boolean {
  const stored = status?.storedVersions ?? [];
  const isStorage = spec.versions.some(({ name, storage }) => name === version && storage);
  return !isStorage && stored.includes(version) && stored.length > 1;
}

/** A patch without content makes the API server store an object anew, in the version of today. */
async function rewriteAll(
  client: Client,
  { kind: resource, version }: FormerVersion,
  signal: AbortSignal,
): Promise<void> {
  const { items } = await client.list(resource, { metadataOnly: true, signal });
  const failures = await forEachBounded(items, rewritesAtOnce, async ({ metadata: { namespace = "", name = "" } }) => {
    await optional(client.mergePatch({ resource, namespace, name }, {}, { signal }));
  });
  const [first] = failures;
  if (first === undefined) return;
  if (hasCode(first.error, "RUNTIME_LEASE_LOST")) throw first.error;
  const { namespace = "", name = "" } = first.item.metadata;
  const object = `${namespace}/${name}`;
  throw purgeErrors.REWRITE({ kind: resource.kind, version, failed: failures.length, object }, first.error);
}
