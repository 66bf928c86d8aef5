import { hasCode } from "@kyma-operators/errors";
import { type AnyObject, optional } from "@kyma-operators/kube";
import { kymas } from "../../apis/operator/group.ts";
import type { Kyma, KymaModule } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import { names } from "../../apis/operator/names.ts";
import { ExitCode, exitCodes } from "../command.ts";
import { checkAvailable, type Wanted, withModule } from "../module/edit.ts";
import { moduleErrors } from "../module/errors.ts";
import { nameOf, refOf } from "../module/kyma-access.ts";
import { kymaProgress } from "../module/progress.ts";
import { pollUntil, type World } from "../poll.ts";
import type { Say } from "../progress/steps.ts";
import { deployErrors } from "./errors.ts";
import type { Journal } from "./journal.ts";
import { fieldManager } from "./write.ts";

/** What a deployment wants of the Kyma. */
export interface KymaWish {
  /** As it is created. */
  readonly object: Kyma;
  /** Set by a flag or a file; else an existing Kyma keeps its own. */
  readonly channel: string | undefined;
  readonly modules: readonly Wanted[];
  /** Take out what is not listed. */
  readonly prune: boolean;
}

/** The spec that the Kyma gets: what is listed is added or changed, everything else stays. */
export function mergeKyma(existing: Kyma | undefined, { object, channel, modules, prune }: KymaWish): Kyma["spec"] {
  if (existing === undefined) return object.spec;
  const listed = (existing.spec.modules ?? []).filter(
    ({ name }) => !prune || modules.some((wanted) => wanted.name === name),
  );
  const start = { ...existing, spec: { ...existing.spec, channel: channel ?? existing.spec.channel, modules: listed } };
  return modules.reduce<Kyma>((kyma, wanted) => {
    const next = withModule(kyma, wanted);
    return { ...kyma, spec: { ...kyma.spec, modules: next } };
  }, start).spec;
}

/** Checks every wanted module against the releases before anything is written. */
export function checkModules(wish: KymaWish, existing: Kyma | undefined, releases: readonly ModuleReleaseMeta[]): void {
  const kyma = { ...wish.object, spec: mergeKyma(existing, wish) };
  for (const wanted of wish.modules) checkAvailable(wanted, kyma, releases);
}

const attempts = 5;

/** The Kyma of the setup, and the copy that the operator keeps where a runtime has its own. */
export interface KymaPair {
  readonly own: Kyma | undefined;
  readonly copy: Kyma | undefined;
}

const copyKey = { resource: kymas, namespace: names.remoteNamespace, name: names.remoteKyma };

/** Reads both; they may be one and the same. */
export async function readKymas({ client, io }: World, kyma: Kyma): Promise<KymaPair> {
  const [own, copy] = await Promise.all([
    optional(client.get<Kyma>(refOf(kyma), { signal: io.signal })),
    optional(client.get<Kyma>(copyKey, { signal: io.signal })),
  ]);
  return { own, copy };
}

/** Creates the Kyma or extends it; sends nothing when it is as wanted. */
export async function writeKyma(world: World, wish: KymaWish, journal?: Journal): Promise<void> {
  if (journal !== undefined) await noteKymas(world, wish.object, journal);
  for (let attempt = 1; ; attempt++) {
    try {
      await writeOnce(world, wish);
      return;
    } catch (error) {
      const lost = hasCode(error, "KUBE_CONFLICT") || hasCode(error, "KUBE_ALREADY_EXISTS");
      if (!lost || attempt >= attempts) throw error;
    }
  }
}

/** A copy that is not there is made by the operator, if at all, and goes with the Kyma. */
async function noteKymas(world: World, kyma: Kyma, journal: Journal): Promise<void> {
  const { copy } = await readKymas(world, kyma);
  for (const target of [copy, kyma]) {
    if (target !== undefined) await journal.note(world, kymas, target as unknown as AnyObject);
  }
}

async function writeOnce(world: World, wish: KymaWish): Promise<void> {
  const { client, io } = world;
  const { own, copy } = await readKymas(world, wish.object);
  if (own === undefined) {
    await client.create<Kyma>(kymas, wish.object, { fieldManager, signal: io.signal });
    return;
  }
  // The operator takes modules from the copy, and is woken by the Kyma itself: both must say the same.
  const spec = mergeKyma(copy ?? own, wish);
  for (const target of [copy, own]) {
    if (target === undefined) continue;
    const notes = target === own ? missingAnnotations(own, wish.object) : {};
    if (sameSpec(target.spec, spec) && Object.keys(notes).length === 0) continue;
    const metadata = { resourceVersion: target.metadata.resourceVersion, annotations: notes };
    const patch = { metadata, spec: { channel: spec.channel, modules: spec.modules } };
    await client.mergePatch<Kyma>(refOf(target), patch, { fieldManager, signal: io.signal });
    if (own.metadata.uid === copy?.metadata.uid) return;
  }
}

function missingAnnotations(own: Kyma, wanted: Kyma): Readonly<Record<string, string>> {
  const present = own.metadata.annotations ?? {};
  const missing = Object.entries(wanted.metadata.annotations ?? {}).filter(([key, value]) => present[key] !== value);
  return Object.fromEntries(missing);
}

/**
 * Refuses to change what somebody else declares, for example a tool that applies the Kyma from a repository: it would
 * change it back. Modules beside theirs are no change of theirs. Throws `DEPLOY_KYMA_OWNED`.
 */
export function checkOwner(existing: Kyma | undefined, wish: KymaWish): void {
  if (existing === undefined) return;
  const changed = changedFields(existing, mergeKyma(existing, wish));
  for (const { manager = "", operation, fieldsV1 } of (existing.metadata as AnyObject["metadata"]).managedFields ??
    []) {
    if (operation !== "Apply" || manager === fieldManager) continue;
    const spec = ((fieldsV1 ?? {}) as OwnedFields)["f:spec"] ?? {};
    const field = changed.find(({ key, module }) => (module ? key in (spec["f:modules"] ?? {}) : key in spec));
    if (field === undefined) continue;
    throw deployErrors.KYMA_OWNED({ kyma: nameOf(existing), field: field.text, owner: manager });
  }
}

interface OwnedFields {
  readonly "f:spec"?: Readonly<Record<string, object>> & { readonly "f:modules"?: Readonly<Record<string, object>> };
}

interface ChangedField {
  /** As field owners are recorded. */
  readonly key: string;
  readonly module: boolean;
  readonly text: string;
}

/** The channel, and the entries that would change or go. */
function changedFields(existing: Kyma, wanted: Kyma["spec"]): readonly ChangedField[] {
  const channel = { key: "f:channel", module: false, text: "spec.channel" };
  const modules = (existing.spec.modules ?? []).filter((module) => {
    const next = wanted.modules?.find(({ name }) => name === module.name);
    return next === undefined || JSON.stringify(entries(module)) !== JSON.stringify(entries(next));
  });
  return [
    ...(existing.spec.channel === wanted.channel ? [] : [channel]),
    ...modules.map(({ name }) => ({ key: `k:${JSON.stringify({ name })}`, module: true, text: `module ${name}` })),
  ];
}

/** The Kyma as its progress is judged: what the operator has done, against the modules that it was told. */
export async function readJudged(world: World, kyma: Kyma): Promise<Kyma> {
  const { own, copy } = await readKymas(world, kyma);
  if (own === undefined) throw moduleErrors.NO_KYMA({ where: kyma.metadata.namespace ?? "" });
  return copy === undefined ? own : { ...own, spec: copy.spec };
}

function sameSpec(a: Kyma["spec"], b: Kyma["spec"]): boolean {
  const text = ({ channel, modules = [] }: Kyma["spec"]): string => JSON.stringify([channel, modules.map(entries)]);
  return text(a) === text(b);
}

function entries(module: KymaModule): readonly (readonly [string, unknown])[] {
  return Object.entries(module).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What is waited for: a Kyma with the module versions that these releases lead to. */
export interface Awaited {
  readonly kyma: Kyma;
  readonly releases: readonly ModuleReleaseMeta[];
}

/** Waits for the Kyma with all its modules; ends with the warning code when that is what it reaches. */
export async function awaitKyma(world: World, { kyma, releases }: Awaited, say: Say): Promise<void> {
  const shown = new Map<string, string>();
  let state = "";
  const look = async (): Promise<string | undefined> => {
    const now = await readJudged(world, kyma);
    for (const [name, line] of moduleLines(now)) {
      if (shown.get(name) !== line) say(line, name);
      shown.set(name, line);
    }
    const progress = kymaProgress(now, releases);
    if (progress.kind === "waiting") return progress.reason;
    state = progress.state;
    return undefined;
  };
  await pollUntil(world, look, say);
  if (state === "Warning") {
    throw new ExitCode(exitCodes.warning, `Kyma is Warning: ${[...shown.values()].join("; ") || "see kyma status"}`);
  }
}

function moduleLines({ status }: Kyma): readonly (readonly [string, string])[] {
  return (status?.modules ?? []).map(({ name, state, version = "", message = "" }) => [
    name,
    `module ${name}${version === "" ? "" : ` ${version}`}: ${state}${message === "" ? "" : ` (${message})`}`,
  ]);
}
