import type { Clock, KubeObject, ObjectRef, Resource } from "@kyma-operators/kube";
import { runtimeErrors } from "./errors.ts";
import type { Seen, SharedInformer } from "./informer.ts";
import { keyOf, keyText } from "./keys.ts";
import { mayShow } from "./label-selectors.ts";
import { compareVersions } from "./resource-versions.ts";

/** What a store must show before it knows of one of our writes. */
interface Expectation {
  readonly key: string;
  readonly uid: string | undefined;
  readonly isMet: (seen: Seen) => boolean;
}

interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
}

/** Answers arrive within seconds; so many deletions later nobody waits for one of them any more. */
const rememberedDeletions = 1_000;

/** The own writes that one informer has not shown yet. */
class PendingWrites {
  readonly #informer: SharedInformer<KubeObject>;
  /** In order of the writes. */
  readonly #pending = new Map<number, Expectation>();
  readonly #byKey = new Map<string, Set<number>>();
  readonly #waiters = new Set<Waiter>();
  /** Uids of deleted objects: the watch may be faster than the answer to the write that ended one. */
  readonly #gone = new Set<string>();

  constructor(informer: SharedInformer<KubeObject>) {
    this.#informer = informer;
    informer.onSeen((seen) => this.#see(seen));
  }

  /** The watch has lost an event, or our write was not what it seemed. */
  doubt(): void {
    this.#informer.relist();
  }

  get kind(): string {
    return this.#informer.resource.kind;
  }

  written(sequence: number, object: KubeObject): void {
    if (this.#gone.has(object.metadata.uid ?? "")) return;
    const stored = this.#informer.store.get(keyOf(object));
    if (stored !== undefined ? isShown(stored, object) : !mayShow(this.#informer.selection, object)) return;
    const isMet = (seen: Seen): boolean => confirmsWrite(seen, object);
    this.#expect(sequence, { key: keyText(keyOf(object)), uid: object.metadata.uid, isMet });
  }

  deleted(sequence: number, ref: ObjectRef): void {
    const { store } = this.#informer;
    const key = { namespace: ref.namespace ?? "", name: ref.name };
    const uid = store.get(key)?.metadata.uid ?? this.#writtenUid(keyText(key));
    if (uid === undefined) return;
    const isMet = (seen: Seen): boolean => confirmsDeletion(seen, store.get(key), uid);
    if (store.get(key)?.metadata.deletionTimestamp !== undefined) return;
    this.#expect(sequence, { key: keyText(key), uid, isMet });
  }

  /**
   * True while something of what was written up to a number has not been shown. Nobody reads a store before its first
   * list, so nobody waits for that here.
   */
  isWaiting(upTo: number): boolean {
    if (!this.#informer.synced) return false;
    const [first] = this.#pending.keys();
    return first !== undefined && first <= upTo;
  }

  /** Resolves when {@link isWaiting} ends. */
  settled(upTo: number): Promise<void> {
    return new Promise((resolve) => this.#waiters.add({ upTo, resolve }));
  }

  #writtenUid(key: string): string | undefined {
    const [sequence] = this.#byKey.get(key) ?? [];
    return sequence === undefined ? undefined : this.#pending.get(sequence)?.uid;
  }

  #expect(sequence: number, expectation: Expectation): void {
    // The first list may be long in coming; nobody waits before it, and then the newest write of an object tells for all.
    if (!this.#informer.synced) this.#forget(expectation.key);
    this.#pending.set(sequence, expectation);
    const sequences = this.#byKey.get(expectation.key);
    if (sequences === undefined) this.#byKey.set(expectation.key, new Set([sequence]));
    else sequences.add(sequence);
  }

  #forget(key: string): void {
    for (const sequence of this.#byKey.get(key) ?? []) this.#pending.delete(sequence);
    this.#byKey.delete(key);
  }

  #see(seen: Seen): void {
    if (seen.kind === "gone") this.#remember(seen.object.metadata.uid);
    if (this.#pending.size === 0) return;
    const key = seen.kind === "list" ? undefined : keyText(keyOf(seen.object));
    const candidates = key === undefined ? [...this.#pending.keys()] : [...(this.#byKey.get(key) ?? [])];
    for (const sequence of candidates) this.#confirm(sequence, seen);
    for (const waiter of this.#waiters) {
      if (this.isWaiting(waiter.upTo)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #remember(uid: string | undefined): void {
    if (uid === undefined) return;
    this.#gone.add(uid);
    if (this.#gone.size <= rememberedDeletions) return;
    const [oldest] = this.#gone;
    if (oldest !== undefined) this.#gone.delete(oldest);
  }

  #confirm(sequence: number, seen: Seen): void {
    const expectation = this.#pending.get(sequence);
    if (expectation?.isMet(seen) !== true) return;
    this.#pending.delete(sequence);
    const sequences = this.#byKey.get(expectation.key);
    sequences?.delete(sequence);
    if (sequences?.size === 0) this.#byKey.delete(expectation.key);
  }
}

const versionOf = (object: KubeObject): string => object.metadata.resourceVersion ?? "";

/** True when the version is that of the write or newer; versions that can't be compared are taken for newer. */
const isSince = (version: string, written: KubeObject): boolean =>
  (compareVersions(version, versionOf(written)) ?? 0) >= 0;

const isShown = (stored: KubeObject, written: KubeObject): boolean =>
  stored.metadata.uid === written.metadata.uid && isSince(versionOf(stored), written);

function confirmsWrite(seen: Seen, written: KubeObject): boolean {
  if (seen.kind === "list") return isSince(seen.resourceVersion, written);
  // A deletion, or another object under this name, ends what we waited for, unless it is an older one.
  if (seen.kind === "gone" && seen.object.metadata.uid === written.metadata.uid) return true;
  return isSince(versionOf(seen.object), written);
}

function confirmsDeletion(seen: Seen, stored: KubeObject | undefined, uid: string): boolean {
  if (stored !== undefined) return stored.metadata.uid !== uid || stored.metadata.deletionTimestamp !== undefined;
  // Nothing is stored either before the creation is shown, so only the news of this very object counts then.
  return seen.kind === "list" || seen.object.metadata.uid === uid;
}

/** One or two conflicts are ordinary: others write too. */
const mostContradictions = 3;

const groupKind = ({ group, plural }: Resource): string => `${plural}.${group}`;

/**
 * Lets a pass see the writes of the passes before it.
 *
 * Each write through the manager's client is remembered until the informers of its kind have shown it. A write that an
 * informer will never show, because its namespace or labels lie outside, is not waited for.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #all: PendingWrites[] = [];
  readonly #byKind = new Map<string, readonly PendingWrites[]>();
  readonly #contradictions = new Map<string, number>();
  #sequence = 0;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  follow(informer: SharedInformer<KubeObject>): void {
    const kind = groupKind(informer.resource);
    const pending = new PendingWrites(informer);
    this.#all.push(pending);
    this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? []), pending]);
  }

  written(resource: Resource, object: KubeObject): void {
    const sequence = this.#sequence++;
    this.#contradictions.delete(groupKind(resource));
    for (const pending of this.#byKind.get(groupKind(resource)) ?? []) pending.written(sequence, object);
  }

  deleted(ref: ObjectRef): void {
    const sequence = this.#sequence++;
    for (const pending of this.#byKind.get(groupKind(ref.resource)) ?? []) pending.deleted(sequence, ref);
  }

  /**
   * Resolves when every informer has shown all writes made before this call; undefined when they have already. Rejects
   * with `RUNTIME_BEHIND` after the timeout.
   */
  settled(signal: AbortSignal): Promise<void> | undefined {
    const upTo = this.#sequence - 1;
    const behind = this.#all.filter((pending) => pending.isWaiting(upTo));
    if (behind.length === 0) return undefined;
    return this.#within(Promise.all(behind.map((pending) => pending.settled(upTo))), behind, signal);
  }

  /**
   * Told of each write that the server refused as if the store were wrong. Several in a row, without a write that
   * succeeds, mean that the watch has lost an event: the kind is listed again.
   */
  contradicted(resource: Resource): void {
    const kind = groupKind(resource);
    const count = (this.#contradictions.get(kind) ?? 0) + 1;
    this.#contradictions.set(kind, count % mostContradictions);
    if (count === mostContradictions) for (const pending of this.#byKind.get(kind) ?? []) pending.doubt();
  }

  async #within(work: Promise<unknown>, behind: readonly PendingWrites[], signal: AbortSignal): Promise<void> {
    const afterMs = this.#timeoutMs;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.after(afterMs, () => {
      for (const pending of behind) pending.doubt();
      reject(runtimeErrors.BEHIND({ kinds: behind.map(({ kind }) => kind), afterMs }));
    });
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      await Promise.race([work, late]);
    } finally {
      cancel();
      signal.removeEventListener("abort", abort);
    }
  }
}
