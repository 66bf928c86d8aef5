import { type AnyObject, parseTime } from "@kyma-operators/kube";
import { observe, parallelRequests, resourceOf } from "../apply/remote.ts";
import { manifestErrors } from "../errors.ts";
import { steering } from "../inventory/fingerprint.ts";
import { identityOf, refOf, type SyncedRef } from "../inventory/identity.ts";
import { inventoryOf, withInventory } from "../inventory/inventory.ts";
import { valueAt } from "../json.ts";
import { observeModuleCR } from "../module-cr.ts";
import type { ManifestOptions } from "../options.ts";
import { inParallel } from "../parallel.ts";
import { clusterOf, done, type Pass, type Step, syncedOf, wait } from "../pass.ts";
import { enterState, operations, withOperation } from "../status.ts";
import { customReadiness } from "./custom-readiness.ts";
import { type Culprit, firstCulprit, type Readiness, readinessOf, takesTime } from "./readiness.ts";

/** What has to be ready before a Manifest is: an annotation's values. */
const policies = ["workload", "customResource", "both"] as const;
type Policy = (typeof policies)[number];

/** Looks at what takes time and decides on the state. Sends no request when the applies of this pass said it all. */
export async function awaitReady(pass: Pass, options: ManifestOptions): Promise<Step> {
  const policy = policyOf(pass);
  const results = [
    ...(policy === "customResource" ? [] : await observeWorkloads(pass)),
    ...(policy === "workload" ? [] : await observeCR(pass)),
  ];
  const culprit = firstCulprit(results);
  if (culprit === undefined) return becomeReady(pass);
  if (culprit.state === "failed") throw manifestErrors.MANAGER_FAILED({ culprit: culprit.text });
  return keepWaiting(pass, culprit, options);
}

function policyOf(pass: Pass): Policy {
  const text = pass.manifest.metadata.annotations?.[steering.readiness];
  if (text === undefined) return "workload";
  const policy = policies.find((known) => known === text);
  if (policy !== undefined) return policy;
  const problem = `is ${JSON.stringify(text)}, expected one of ${policies.join(", ")}`;
  throw manifestErrors.ANNOTATION_INVALID({ annotation: steering.readiness, problem });
}

interface Result {
  readonly ref: SyncedRef;
  readonly readiness: Readiness;
}

async function observeWorkloads(pass: Pass): Promise<readonly Result[]> {
  const { client } = clusterOf(pass);
  return inParallel(syncedOf(pass).filter(takesTime), parallelRequests, async (ref): Promise<Result> => {
    const object = pass.live.get(identityOf(ref)) ?? (await observe(client, ref, pass.ctx.signal));
    if (object === undefined) return { ref, readiness: { state: "progressing", why: "does not exist" } };
    return { ref, readiness: await judge(pass, object) };
  });
}

async function judge(pass: Pass, object: AnyObject): Promise<Readiness> {
  const first = readinessOf(object);
  // Its pods tell a StatefulSet that is slow from one that is broken.
  if (object.kind !== "StatefulSet" || first.state === "ready") return first;
  return readinessOf(object, { pods: await podsOf(pass, object) });
}

async function podsOf(pass: Pass, workload: AnyObject): Promise<readonly AnyObject[]> {
  const { client } = clusterOf(pass);
  const pods = await resourceOf(client, { group: "", version: "v1", kind: "Pod" }, pass.ctx.signal);
  const selector = valueAt(workload, "spec", "selector", "matchLabels") as Record<string, string> | undefined;
  if (pods === undefined || selector === undefined) return [];
  const labelSelector = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const { namespace = "default" } = workload.metadata;
  return (await client.list(pods, { namespace, labelSelector, signal: pass.ctx.signal })).items;
}

async function observeCR(pass: Pass): Promise<readonly Result[]> {
  const readinessOfCR = customReadiness(pass.manifest.metadata.annotations?.[steering.readyWhen]);
  const object = await observeModuleCR(pass);
  return object === undefined ? [] : [{ ref: refOf(object), readiness: readinessOfCR(object) }];
}

function becomeReady(pass: Pass): Step {
  pass.status = enterState(withInventory(pass.status, { waitingSince: undefined }), "Ready", pass.now);
  return done;
}

// A rollout takes seconds; saying more earlier would write a status for every pod that starts.
const explainAfterMs = 10_000;
const firstPollMs = 250;

function keepWaiting(pass: Pass, culprit: Culprit, options: ManifestOptions): Step {
  const since = inventoryOf(pass.status).waitingSince ?? pass.now;
  const waitedMs = pass.ctx.now - (parseTime(since) ?? pass.ctx.now);
  const late = waitedMs >= options.readyTimeoutMs;
  const text = waitedMs < explainAfterMs ? operations.waiting : `${operations.waiting}: ${culprit.text}`;
  pass.status = withOperation(
    withInventory(pass.status, { waitingSince: since }),
    late ? "Warning" : "Processing",
    late ? `${text}, for more than ${Math.round(options.readyTimeoutMs / 1_000)} s` : text,
  );
  const pollMs = Math.min(
    Math.max(firstPollMs, waitedMs / 4),
    late ? options.requeue.warningMs : options.requeue.busyMs,
  );
  return wait("manifest_sync_state", pollMs);
}
