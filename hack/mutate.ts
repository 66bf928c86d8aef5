/** A small generator with a seed, so that every finding can be repeated. Numbers are in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // Weyl sequence through an integer hash: fast, and good enough to choose with
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Changes an input a few times: flips, cuts, repeats, and puts tokens or pieces of other inputs in. */
export function mutate(random: () => number, corpus: readonly Uint8Array[], tokens: readonly Uint8Array[]): Uint8Array {
  let bytes = Buffer.from(pick(random, corpus));
  const changes = 1 + Math.floor(random() * 6);
  for (let change = 0; change < changes; change += 1) bytes = changeOnce(random, bytes, { corpus, tokens });
  return bytes.subarray(0, 65_536);
}

function pick<T>(random: () => number, list: readonly T[]): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error("nothing to choose from");
  return found;
}

function changeOnce(
  random: () => number,
  bytes: Buffer<ArrayBuffer>,
  { corpus, tokens }: { corpus: readonly Uint8Array[]; tokens: readonly Uint8Array[] },
): Buffer<ArrayBuffer> {
  const at = Math.floor(random() * (bytes.length + 1));
  const length = Math.floor(random() * Math.min(64, bytes.length - at));
  const insert = (piece: Uint8Array): Buffer<ArrayBuffer> =>
    Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  const kinds: readonly (() => Buffer<ArrayBuffer>)[] = [
    () => {
      if (at < bytes.length) bytes[at] = Math.floor(random() * 256);
      return bytes;
    },
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]),
    () => insert(bytes.subarray(at, at + length)),
    () => insert(pick(random, tokens)),
    () => insert(pick(random, corpus).subarray(0, Math.floor(random() * 600))),
    () => bytes.subarray(0, at),
  ];
  return pick(random, kinds)();
}
