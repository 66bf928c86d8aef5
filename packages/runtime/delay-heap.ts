interface Entry<T> {
  readonly due: number;
  readonly sequence: number;
  readonly value: T;
}

/** Values by the time they fall due; those of the same time in the order they came. */
export class DelayHeap<T> {
  #entries: Entry<T>[] = [];
  #sequence = 0;

  /** The earliest time, or undefined when it is empty. */
  get nextDue(): number | undefined {
    return this.#entries[0]?.due;
  }

  get size(): number {
    return this.#entries.length;
  }

  push(due: number, value: T): void {
    const entry = { due, sequence: this.#sequence++, value };
    let index = this.#entries.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, parent)) return;
      index = parent;
    }
  }

  /** Drops the entries that are not wanted any more. */
  compact(wanted: (due: number, value: T) => boolean): void {
    const kept = this.#entries.filter((entry) => wanted(entry.due, entry.value));
    // A sorted array is a heap.
    this.#entries = kept.sort((a, b) => a.due - b.due || a.sequence - b.sequence);
  }

  /** Takes the earliest value that is due, or undefined. */
  popDue(now: number): { readonly due: number; readonly value: T } | undefined {
    const [first] = this.#entries;
    if (first === undefined || first.due > now) return undefined;
    const last = this.#entries.pop();
    if (last !== undefined && this.#entries.length > 0) {
      this.#entries[0] = last;
      this.#sinkRoot();
    }
    return first;
  }

  #sinkRoot(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfEarlier(child, index)) return;
      index = child;
    }
  }

  #isEarlier(a: number, b: number): boolean {
    const [one, other] = [this.#entries[a], this.#entries[b]];
    if (one === undefined || other === undefined) return false;
    return one.due < other.due || (one.due === other.due && one.sequence < other.sequence);
  }

  #swapIfEarlier(lower: number, upper: number): boolean {
    const [below, above] = [this.#entries[lower], this.#entries[upper]];
    if (below === undefined || above === undefined || !this.#isEarlier(lower, upper)) return false;
    this.#entries[lower] = above;
    this.#entries[upper] = below;
    return true;
  }
}
