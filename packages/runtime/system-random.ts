/** A number in [0, 1). Tests pass a seeded one. */
export type Random = () => number;

/** For jitter, never for secrets. */
export const systemRandom: Random = () => Math.random();
